CREATE TABLE word (id INTEGER PRIMARY KEY, t TEXT COLLATE NOCASE, kind);
INSERT INTO word VALUES (1, 'ant', 'insect'), (2, 'bee', 'x'), (3, 'Cow', 'y'), (4, 'dog', 'z'), (5, 'elk', 1.0);
PRAGMA user_version = 2;
