CREATE TABLE t (id TEXT PRIMARY KEY, parent TEXT NOT NULL REFERENCES t (id));
CREATE INDEX t_parent ON t (parent);
PRAGMA user_version = 1;
