CREATE TABLE guest (id INTEGER PRIMARY KEY, name, town);
CREATE INDEX guest_name ON guest(name);
CREATE INDEX "by town" ON guest(town);
CREATE TABLE schema_migrations (version);
PRAGMA user_version = 1;
