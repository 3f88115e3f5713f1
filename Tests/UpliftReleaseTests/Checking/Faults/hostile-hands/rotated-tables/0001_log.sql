CREATE TABLE log (a, y); CREATE TABLE log_1 (a, y); CREATE TABLE log_2 (a);
