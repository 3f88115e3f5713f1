CREATE TABLE other (id INTEGER PRIMARY KEY);
PRAGMA user_version = 1;
