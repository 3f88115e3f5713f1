CREATE TABLE word (id INTEGER PRIMARY KEY, text TEXT);
CREATE TABLE country (id INTEGER PRIMARY KEY, text TEXT);
INSERT INTO word VALUES (1, 'a');
INSERT INTO country VALUES (1, 'old');
PRAGMA user_version = 1;
