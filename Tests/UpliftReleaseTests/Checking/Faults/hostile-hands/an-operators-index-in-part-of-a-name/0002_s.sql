-- guest_name is an index, and schema_migrations is a table; "by town" is another index.
CREATE INDEX guest_name_town ON guest(name, town);
UPDATE guest SET town = 'guest_name' WHERE town = 'by town';
