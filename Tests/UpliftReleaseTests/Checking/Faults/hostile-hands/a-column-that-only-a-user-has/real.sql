CREATE TABLE word(id INTEGER PRIMARY KEY, text TEXT, mine TEXT); INSERT INTO word VALUES(1, 'a', 'x'); PRAGMA user_version = 1;
