-- uplift: no-transaction
PRAGMA auto_vacuum = FULL;
VACUUM;
