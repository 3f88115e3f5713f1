CREATE TABLE word (
  id TEXT NOT NULL COLLATE NOCASE, t TEXT, PRIMARY KEY (id COLLATE BINARY));
INSERT INTO word VALUES ('pear', 'p'), ('apple', 'a'), ('plum', 'new');
PRAGMA user_version = 2;
