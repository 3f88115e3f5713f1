CREATE TABLE tag (t TEXT COLLATE NOCASE);
INSERT INTO tag VALUES ('a'), ('A');
PRAGMA user_version = 2;
