CREATE TABLE word (id INTEGER PRIMARY KEY, t TEXT);
CREATE VIRTUAL TABLE wf USING fts5(t, content=word, content_rowid=id);
CREATE TRIGGER wi AFTER INSERT ON word BEGIN INSERT INTO wf(rowid, t) VALUES (new.id, new.t); END;
CREATE TRIGGER wd AFTER DELETE ON word BEGIN INSERT INTO wf(wf, rowid, t) VALUES ('delete', old.id, old.t); END;
INSERT INTO word VALUES (1, 'a'), (2, 'b');
PRAGMA user_version = 1;
