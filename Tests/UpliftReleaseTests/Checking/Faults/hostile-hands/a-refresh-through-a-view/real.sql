CREATE TABLE word (id INTEGER PRIMARY KEY, t TEXT);
CREATE VIEW words AS SELECT * FROM word;
INSERT INTO word VALUES (1, 'a'), (2, 'mine');
PRAGMA user_version = 1;
