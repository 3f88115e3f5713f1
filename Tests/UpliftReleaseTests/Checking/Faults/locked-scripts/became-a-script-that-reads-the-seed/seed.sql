CREATE TABLE Users (id INTEGER PRIMARY KEY, name TEXT NOT NULL, email TEXT, a, b, c);
PRAGMA user_version = 4;
