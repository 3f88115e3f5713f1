CREATE TABLE a (x);
CREATE TABLE b (y);
CREATE VIEW v AS SELECT x, y FROM a, b;
PRAGMA user_version = 1;
