CREATE TABLE new (id INTEGER PRIMARY KEY AUTOINCREMENT, text TEXT NOT NULL, kind TEXT);
INSERT INTO new (id, text) SELECT id, text FROM note;
UPDATE sqlite_sequence SET seq = (SELECT seq FROM sqlite_sequence WHERE name = 'note') WHERE name = 'new';
DROP TABLE note;
ALTER TABLE new RENAME TO note;
