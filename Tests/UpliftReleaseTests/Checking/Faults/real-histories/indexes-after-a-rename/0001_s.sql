CREATE TABLE t (id INTEGER PRIMARY KEY, gone INT, n INT, m TEXT);
CREATE INDEX live ON t (n) WHERE gone IS NULL;
CREATE INDEX low ON t (lower(m));
CREATE UNIQUE INDEX both ON t (lower(m), n) WHERE gone > 0;
