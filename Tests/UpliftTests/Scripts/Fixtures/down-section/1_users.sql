-- migrate:up
CREATE TABLE users (name TEXT);
-- migrate:down
DROP TABLE users;
