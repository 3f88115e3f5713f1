CREATE TABLE guests (name TEXT);
