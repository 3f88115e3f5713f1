CREATE TABLE word (id INTEGER PRIMARY KEY, text TEXT);
CREATE TABLE note (id INTEGER PRIMARY KEY, word_id INTEGER, body TEXT);
CREATE UNIQUE INDEX note_body ON note (body);
INSERT INTO word VALUES (1, 'a');
PRAGMA user_version = 3;
