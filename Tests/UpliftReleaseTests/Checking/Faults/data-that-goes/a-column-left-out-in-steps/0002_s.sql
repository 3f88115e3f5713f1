ALTER TABLE note RENAME TO note_old;
CREATE TABLE note (id INTEGER PRIMARY KEY, text);
INSERT INTO note SELECT id, text FROM note_old;
