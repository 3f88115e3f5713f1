CREATE TABLE t (id INTEGER PRIMARY KEY, gone INT, n TEXT);
CREATE INDEX live ON t (lower(n)) WHERE gone IS NULL;
CREATE UNIQUE INDEX one ON t (lower(n));
CREATE INDEX same ON t (upper(n));
CREATE TABLE p (id INTEGER PRIMARY KEY, n TEXT);
CREATE INDEX low ON p (lower(n));
