CREATE TABLE job (id INTEGER PRIMARY KEY, state TEXT DEFAULT 'new');
PRAGMA user_version = 1;
