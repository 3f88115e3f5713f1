CREATE TABLE word(id INTEGER PRIMARY KEY, text TEXT); INSERT INTO word VALUES(1, 'a'); PRAGMA user_version = 1;
