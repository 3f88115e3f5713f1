CREATE TABLE word (id INTEGER PRIMARY KEY, t TEXT);
INSERT INTO word VALUES (1, 'ant'), (2, 'bee'), (3, 'cow');
PRAGMA user_version = 1;
