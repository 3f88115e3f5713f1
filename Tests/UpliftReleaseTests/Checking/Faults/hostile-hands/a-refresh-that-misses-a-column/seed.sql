CREATE TABLE word (id INTEGER PRIMARY KEY, t TEXT COLLATE NOCASE, kind TEXT);
INSERT INTO word VALUES (1, 'ant', 'insect'), (2, 'bee', 'x'), (3, 'Cow', 'y'), (4, 'dog', 'z');
PRAGMA user_version = 2;
