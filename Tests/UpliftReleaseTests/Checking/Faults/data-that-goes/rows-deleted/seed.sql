CREATE TABLE Users (id INTEGER PRIMARY KEY, name TEXT NOT NULL, email TEXT);
INSERT INTO Users VALUES (1, 'ann', 'a@example.org'), (2, 'bob', NULL), (3, 'eve', NULL);
PRAGMA user_version = 1;
