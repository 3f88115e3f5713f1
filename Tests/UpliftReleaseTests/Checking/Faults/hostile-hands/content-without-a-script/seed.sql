CREATE TABLE word (id INTEGER PRIMARY KEY, text TEXT);
INSERT INTO word VALUES (1, 'new');
PRAGMA user_version = 2;
