CREATE TABLE t (id INTEGER PRIMARY KEY, x, y);
INSERT INTO t VALUES (1, 'a', 1), (2, 'b', 2), (3, 'c', 3);
PRAGMA user_version = 1;
