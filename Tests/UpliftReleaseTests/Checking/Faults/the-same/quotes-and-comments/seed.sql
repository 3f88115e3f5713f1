CREATE TABLE users(id integer primary key,/* c */ [name] text not null, `email` text);
CREATE INDEX i ON "users" ("name" ASC);
CREATE TABLE t(a);
PRAGMA user_version = 2;
