CREATE TABLE it (i INTEGER, t INTEGER, u INTEGER);
CREATE INDEX it_i ON it (i);
CREATE INDEX it_u ON it (u);
CREATE UNIQUE INDEX it_t ON it (t);
PRAGMA user_version = 1;
