CREATE TABLE "wo""rd" (id UNIQUE, t TEXT);
CREATE TABLE list (a, b);
INSERT INTO "wo""rd" VALUES (1, 'a');
PRAGMA user_version = 2;
