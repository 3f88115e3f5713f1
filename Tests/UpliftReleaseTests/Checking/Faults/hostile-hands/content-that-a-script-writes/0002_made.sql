INSERT INTO info VALUES ('made', 'by the script');
CREATE TABLE new_kept (id INTEGER PRIMARY KEY, text TEXT NOT NULL);
INSERT INTO new_kept SELECT * FROM kept;
DROP TABLE kept;
ALTER TABLE new_kept RENAME TO kept;
