CREATE TABLE guests (id INTEGER PRIMARY KEY, a TEXT, b TEXT);
CREATE INDEX by_a ON guests (a) WHERE b IS NOT NULL;
CREATE INDEX by_b ON guests (b);
CREATE VIEW w AS SELECT a FROM guests;
INSERT INTO guests VALUES (1, 'x', 'y'), (2, 'z', 'w');
PRAGMA user_version = 1;
