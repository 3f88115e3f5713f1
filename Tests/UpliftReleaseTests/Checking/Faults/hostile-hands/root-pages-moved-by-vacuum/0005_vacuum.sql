-- uplift: no-transaction
VACUUM;
