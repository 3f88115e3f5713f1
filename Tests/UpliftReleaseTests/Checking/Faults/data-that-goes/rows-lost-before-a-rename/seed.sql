CREATE TABLE note (id INTEGER PRIMARY KEY, text, day);
INSERT INTO note VALUES (1, 'a', 1), (2, 'b', 2);
PRAGMA user_version = 1;
