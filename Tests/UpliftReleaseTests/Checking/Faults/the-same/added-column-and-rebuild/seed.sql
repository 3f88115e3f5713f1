CREATE TABLE "Users" (id INTEGER PRIMARY KEY, name TEXT NOT NULL, -- the name
  email text, age INTEGER DEFAULT (7));
PRAGMA user_version = 2;
