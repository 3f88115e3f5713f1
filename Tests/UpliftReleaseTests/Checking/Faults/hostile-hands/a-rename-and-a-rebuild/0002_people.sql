DROP VIEW w;
ALTER TABLE guests RENAME TO people;
CREATE TABLE new_people (id INTEGER PRIMARY KEY, a TEXT, b TEXT);
INSERT INTO new_people SELECT * FROM people;
DROP TABLE people;
ALTER TABLE new_people RENAME TO people;
CREATE INDEX by_a ON people (a) WHERE b IS NOT NULL;
