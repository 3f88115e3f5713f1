CREATE TABLE word (id INTEGER PRIMARY KEY, t TEXT COLLATE NOCASE, kind);
INSERT INTO word VALUES (1, 'ant', 'mine'), (2, 'bee', 'mine'), (3, 'cow', 'mine'), (5, 'elk', 2);
PRAGMA user_version = 1;
