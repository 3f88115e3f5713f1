CREATE TABLE t (a DEFAULT "A", b DEFAULT "", c DEFAULT [x]);
PRAGMA user_version = 1;
