CREATE TABLE word (id INTEGER PRIMARY KEY, t TEXT COLLATE NOCASE, kind TEXT);
INSERT INTO word VALUES (1, 'ant', NULL), (2, 'bee', 'x'), (3, 'cow', 'y');
PRAGMA user_version = 1;
