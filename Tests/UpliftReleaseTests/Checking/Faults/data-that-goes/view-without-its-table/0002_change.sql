PRAGMA legacy_alter_table = ON;
DROP TABLE Users;
CREATE TABLE Users (id INTEGER PRIMARY KEY, full_name TEXT);
