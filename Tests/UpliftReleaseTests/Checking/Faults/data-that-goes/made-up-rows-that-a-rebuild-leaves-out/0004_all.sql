CREATE TABLE new (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
INSERT INTO new SELECT id, coalesce(name, '') || '!' FROM one;
DROP TABLE one;
ALTER TABLE new RENAME TO one;
