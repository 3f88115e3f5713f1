CREATE TABLE entry (id INTEGER PRIMARY KEY, t TEXT);
CREATE TABLE entry_tag (entry INTEGER NOT NULL REFERENCES entry (id), tag TEXT NOT NULL, PRIMARY KEY (entry, tag));
PRAGMA user_version = 1;
