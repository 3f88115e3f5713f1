CREATE TABLE word (id INTEGER PRIMARY KEY, t TEXT);
INSERT INTO word VALUES (1, 'a'), (2, 'b'), (3, 'c');
PRAGMA user_version = 1;
