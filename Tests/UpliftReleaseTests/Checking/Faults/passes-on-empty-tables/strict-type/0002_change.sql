CREATE TABLE new_users (id INTEGER PRIMARY KEY, name INTEGER NOT NULL, email TEXT) STRICT;
INSERT INTO new_users SELECT id, name, email FROM Users;
DROP TABLE Users;
ALTER TABLE new_users RENAME TO Users;
