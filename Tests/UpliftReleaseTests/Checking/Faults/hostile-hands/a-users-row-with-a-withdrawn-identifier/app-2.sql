CREATE TABLE word (id INTEGER PRIMARY KEY, t TEXT);
INSERT INTO word VALUES (1, 'ant');
PRAGMA user_version = 2;
