CREATE TABLE Users (id INTEGER PRIMARY KEY, name TEXT NOT NULL, email TEXT);
CREATE INDEX i on Users(name);
PRAGMA user_version = 1;
