-- uplift: no-transaction
ALTER TABLE a RENAME TO b;
VACUUM;
