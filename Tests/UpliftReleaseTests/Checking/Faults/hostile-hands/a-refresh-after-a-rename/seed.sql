CREATE TABLE words (word_id INTEGER PRIMARY KEY, t TEXT);
INSERT INTO words VALUES (1, 'a'), (3, 'c'), (4, 'd');
PRAGMA user_version = 3;
