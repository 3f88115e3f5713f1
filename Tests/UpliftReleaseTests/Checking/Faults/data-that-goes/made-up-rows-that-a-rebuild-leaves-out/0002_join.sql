CREATE TABLE new (id INTEGER PRIMARY KEY, email TEXT, city TEXT);
INSERT INTO new
  SELECT guests.id, guests.email, cities.name FROM guests LEFT JOIN cities ON cities.id = guests.city
  WHERE guests.email IS NOT NULL;
DROP TABLE guests;
ALTER TABLE new RENAME TO guests;
