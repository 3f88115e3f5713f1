CREATE TABLE t (a);
PRAGMA user_version = 3;
