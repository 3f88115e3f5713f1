CREATE TABLE new_users (id INTEGER PRIMARY KEY, name TEXT NOT NULL CHECK (name IN ('ann', 'bob')), email TEXT);
INSERT INTO new_users SELECT id, name, email FROM Users;
DROP TABLE Users;
ALTER TABLE new_users RENAME TO Users;
