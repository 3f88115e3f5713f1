CREATE TABLE t(id INTEGER PRIMARY KEY, x); CREATE INDEX by_x ON t(x); CREATE TABLE schema_migrations(version);
CREATE TABLE _litestream_seq(id INTEGER PRIMARY KEY, seq INTEGER); ANALYZE; PRAGMA user_version = 1;
