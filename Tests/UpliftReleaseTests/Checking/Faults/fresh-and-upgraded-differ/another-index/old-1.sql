CREATE TABLE Users (id INTEGER PRIMARY KEY, name TEXT NOT NULL, email TEXT);
CREATE INDEX users_name ON Users (name, email);
PRAGMA user_version = 1;
