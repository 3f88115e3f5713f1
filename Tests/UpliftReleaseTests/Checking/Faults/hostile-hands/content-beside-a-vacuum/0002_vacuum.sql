-- uplift: no-transaction
ALTER TABLE country RENAME TO land;
VACUUM;
