CREATE TABLE Users (id INTEGER PRIMARY KEY, name TEXT NOT NULL, email TEXT);
CREATE INDEX users_name ON Users (name);
CREATE TABLE Added (id INTEGER PRIMARY KEY);
PRAGMA user_version = 2;
