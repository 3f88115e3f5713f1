CREATE TABLE kept (a);
PRAGMA user_version = 1;
