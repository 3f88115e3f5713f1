CREATE TABLE doc (id INTEGER PRIMARY KEY, body TEXT);
CREATE INDEX by_body ON doc (lower(body));
