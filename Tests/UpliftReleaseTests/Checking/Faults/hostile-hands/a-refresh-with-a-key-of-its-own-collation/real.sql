CREATE TABLE word (
  id TEXT NOT NULL COLLATE NOCASE, t TEXT, PRIMARY KEY (id COLLATE BINARY));
INSERT INTO word VALUES ('pear', 'p'), ('apple', 'a'), ('Apple', 'mine'), ('Pear', 'mine');
PRAGMA user_version = 1;
