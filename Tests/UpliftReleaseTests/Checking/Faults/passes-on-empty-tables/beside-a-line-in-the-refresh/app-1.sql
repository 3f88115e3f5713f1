CREATE TABLE word (id INTEGER PRIMARY KEY, text TEXT);
CREATE TABLE note (id INTEGER PRIMARY KEY, word_id INTEGER, body TEXT);
INSERT INTO word VALUES (1, 'a'), (2, 'b');
PRAGMA user_version = 1;
