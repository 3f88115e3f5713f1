-- uplift: reads-seed
DELETE FROM Users;
