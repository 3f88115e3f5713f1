CREATE TABLE word (id INTEGER PRIMARY KEY, t TEXT COLLATE NOCASE, n);
INSERT INTO word VALUES (1, 'a', 1), (5, 'Hello', 1);
PRAGMA user_version = 1;
