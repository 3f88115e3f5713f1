-- uplift: reads-seed
DELETE FROM word WHERE id COLLATE BINARY NOT IN (SELECT id FROM seed.word) AND t <> 'p';
DELETE FROM word WHERE id COLLATE BINARY = 'Pear';
INSERT INTO word SELECT * FROM seed.word WHERE 1
ON CONFLICT (id COLLATE BINARY) DO UPDATE SET t = excluded.t WHERE t IS NOT excluded.t;
