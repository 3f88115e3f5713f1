CREATE TABLE Users (id INTEGER PRIMARY KEY, name TEXT NOT NULL CHECK (length(name) > 1), email TEXT);
CREATE TABLE Added (id INTEGER PRIMARY KEY);
PRAGMA user_version = 2;
