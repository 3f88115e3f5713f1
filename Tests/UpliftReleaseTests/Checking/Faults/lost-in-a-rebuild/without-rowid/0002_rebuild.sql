CREATE TABLE new_users (id INTEGER PRIMARY KEY, name TEXT NOT NULL, email TEXT, age INTEGER);
INSERT INTO new_users (id, name, email) SELECT id, name, email FROM Users;
DROP TABLE Users;
ALTER TABLE new_users RENAME TO Users;
