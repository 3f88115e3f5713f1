CREATE TABLE guest (id INTEGER PRIMARY KEY, name, town);
PRAGMA user_version = 1;
