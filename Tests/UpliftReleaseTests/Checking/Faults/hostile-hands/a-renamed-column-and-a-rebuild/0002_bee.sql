ALTER TABLE guests RENAME b TO bee;
CREATE TABLE new_guests (id INTEGER PRIMARY KEY, a TEXT, bee TEXT);
INSERT INTO new_guests SELECT * FROM guests;
DROP TABLE guests;
ALTER TABLE new_guests RENAME TO guests;
