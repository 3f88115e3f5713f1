CREATE TABLE kept (a, b);
PRAGMA user_version = 1;
