CREATE TABLE users (name TEXT);
