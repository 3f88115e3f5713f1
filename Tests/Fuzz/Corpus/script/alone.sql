-- uplift: no-transaction
VACUUM;
PRAGMA journal_mode=WAL;