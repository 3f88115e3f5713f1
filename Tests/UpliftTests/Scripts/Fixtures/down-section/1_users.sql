-- Up
CREATE TABLE users (name TEXT);
-- Down
DROP TABLE users;
