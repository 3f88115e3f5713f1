CREATE TABLE t(id INTEGER PRIMARY KEY, x);
CREATE INDEX by_x ON t(x);
CREATE INDEX "by ""y""" ON t(x);
PRAGMA user_version = 2;
