-- uplift: reads-seed
INSERT OR REPLACE INTO main . "wo""rd" SELECT * FROM seed."wo""rd";
UPDATE OR IGNORE "list" SET a = (SELECT 1);
