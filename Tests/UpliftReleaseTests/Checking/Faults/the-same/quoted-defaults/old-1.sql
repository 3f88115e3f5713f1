CREATE TABLE t (a [long text] DEFAULT 'te"xt', b DEFAULT 'x y', c DEFAULT "z", d DEFAULT '', e DEFAULT 'it''s');
CREATE TABLE u (a DEFAULT 1);
CREATE VIEW v AS SELECT [b][d]FROM "t";
PRAGMA user_version = 1;
