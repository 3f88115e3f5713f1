CREATE TABLE users(id);
