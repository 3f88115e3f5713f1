CREATE TABLE Users (id INTEGER PRIMARY KEY, name TEXT NOT NULL, email TEXT);
CREATE TABLE Odd (a TEXT NOT NULL CHECK (substr(a, 3, 5) = 'x' || length(a) || 'yz' AND a LIKE '%q%q%'));
PRAGMA user_version = 1;
