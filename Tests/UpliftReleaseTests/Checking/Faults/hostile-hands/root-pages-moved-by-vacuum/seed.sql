CREATE TABLE a (x);
CREATE TABLE log (a, b);
CREATE TABLE c (x);
PRAGMA user_version = 1;
