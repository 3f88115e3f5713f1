CREATE TABLE t (a, "true", "null", CHECK (a <> "true"), CHECK (a IS NOT "null"));
CREATE VIEW v AS SELECT current_date, "a" FROM t;
CREATE VIRTUAL TABLE f USING fts5("Body", tokenize = "unicode61 tokenchars X");
CREATE VIRTUAL TABLE g USING fts5("Body", tokenize = "porter");
PRAGMA user_version = 1;
