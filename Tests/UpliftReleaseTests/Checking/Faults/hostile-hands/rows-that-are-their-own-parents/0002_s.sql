ALTER TABLE cat ADD COLUMN depth INT;
UPDATE cat SET depth = (WITH RECURSIVE up (p) AS (SELECT cat.parent UNION ALL SELECT c.parent FROM cat c JOIN up ON c.id = up.p) SELECT count(*) FROM up);
