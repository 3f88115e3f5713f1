CREATE TABLE t (id TEXT PRIMARY KEY, parent TEXT REFERENCES t (id));
CREATE INDEX t_parent ON t (parent);
PRAGMA user_version = 1;
