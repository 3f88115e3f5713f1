CREATE TABLE kept (a);
CREATE VIEW broken_before AS SELECT nosuch FROM kept;
PRAGMA user_version = 1;
