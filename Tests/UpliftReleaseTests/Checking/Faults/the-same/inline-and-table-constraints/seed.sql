CREATE TABLE Users (id INTEGER PRIMARY KEY, name TEXT NOT NULL, email TEXT, UNIQUE (email), CHECK (name <> ''));
CREATE TABLE t(a);
PRAGMA user_version = 2;
