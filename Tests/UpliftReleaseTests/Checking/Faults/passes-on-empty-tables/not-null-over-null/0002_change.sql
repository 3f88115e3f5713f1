CREATE TABLE new_users (id INTEGER PRIMARY KEY, name TEXT NOT NULL, email TEXT NOT NULL);
INSERT INTO new_users SELECT id, name, email FROM Users;
DROP TABLE Users;
ALTER TABLE new_users RENAME TO Users;
