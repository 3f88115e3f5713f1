CREATE TABLE word (
  id TEXT NOT NULL COLLATE NOCASE, t TEXT, PRIMARY KEY (id COLLATE BINARY));
INSERT INTO word VALUES ('pear', 'p'), ('apple', 'a');
PRAGMA user_version = 1;
