CREATE TABLE tag (t TEXT COLLATE NOCASE);
INSERT INTO tag VALUES ('A'), ('a');
PRAGMA user_version = 2;
