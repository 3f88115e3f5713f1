SELECT 1;
-- uplift: no-transaction
