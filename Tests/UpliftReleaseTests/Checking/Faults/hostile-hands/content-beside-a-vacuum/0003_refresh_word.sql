-- uplift: reads-seed
DELETE FROM word WHERE id NOT IN (SELECT id FROM seed.word);
INSERT INTO word (id, text) SELECT id, text FROM seed.word AS new
WHERE NOT EXISTS (SELECT 1 FROM word AS old WHERE old.id = new.id);
