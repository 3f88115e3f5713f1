CREATE TABLE guests (id INTEGER PRIMARY KEY, name TEXT, mail TEXT);
INSERT INTO guests VALUES (1, 'a', 'a@example.org');
PRAGMA user_version = 1;
