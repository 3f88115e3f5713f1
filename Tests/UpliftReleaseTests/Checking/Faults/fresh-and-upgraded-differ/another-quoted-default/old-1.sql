CREATE TABLE t (a DEFAULT "a", b DEFAULT """", c DEFAULT `y`);
PRAGMA user_version = 1;
