CREATE TABLE word (id INTEGER PRIMARY KEY, t TEXT);
INSERT INTO word VALUES (1, 'My ant'), (2, 'mine'), (3, 'cow');
PRAGMA user_version = 2;
