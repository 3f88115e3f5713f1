CREATE TABLE new_users (id INTEGER PRIMARY KEY, name TEXT NOT NULL, email TEXT);
INSERT INTO new_users (id, email) SELECT id, email FROM Users;
DROP TABLE Users;
ALTER TABLE new_users RENAME TO Users;
