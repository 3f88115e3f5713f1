CREATE TABLE word (id INTEGER PRIMARY KEY, text TEXT);
CREATE TABLE change (id INTEGER PRIMARY KEY, at TEXT);
CREATE TABLE info (name TEXT PRIMARY KEY, value TEXT);
CREATE TABLE kept (id INTEGER PRIMARY KEY, text TEXT);
CREATE VIRTUAL TABLE found USING fts5 (text, content='word', content_rowid='id');
CREATE TRIGGER word_added AFTER INSERT ON word BEGIN INSERT INTO change (at) VALUES (random()); END;
INSERT INTO word VALUES (1, 'a');
INSERT INTO kept VALUES (1, 'one');
PRAGMA user_version = 1;
