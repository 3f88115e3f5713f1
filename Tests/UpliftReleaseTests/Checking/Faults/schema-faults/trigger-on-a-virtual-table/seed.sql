CREATE TABLE Users (id INTEGER PRIMARY KEY, name TEXT NOT NULL, email TEXT);
CREATE VIRTUAL TABLE Search USING fts5 (name, content = 'Users', content_rowid = 'id');
CREATE TRIGGER ai AFTER INSERT ON Users BEGIN INSERT INTO Search (rowid, name) VALUES (new.id, new.name); END;
PRAGMA user_version = 1;
