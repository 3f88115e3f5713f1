PRAGMA auto_vacuum = 1;
CREATE TABLE a (x);
CREATE TABLE d (w TEXT) STRICT;
INSERT INTO d VALUES ('1'), ('2');
PRAGMA user_version = 1;
