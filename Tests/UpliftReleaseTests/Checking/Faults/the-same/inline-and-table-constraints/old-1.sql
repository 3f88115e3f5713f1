CREATE TABLE Users (id INTEGER PRIMARY KEY, name TEXT NOT NULL CHECK (name<>''), email TEXT UNIQUE);
PRAGMA user_version = 1;
