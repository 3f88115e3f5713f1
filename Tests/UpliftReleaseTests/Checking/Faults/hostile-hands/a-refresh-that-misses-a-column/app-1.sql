CREATE TABLE word (id INTEGER PRIMARY KEY, t TEXT COLLATE NOCASE, kind);
INSERT INTO word VALUES (1, 'ant', NULL), (2, 'bee', 'x'), (3, 'cow', 'y'), (5, 'elk', 1);
PRAGMA user_version = 1;
