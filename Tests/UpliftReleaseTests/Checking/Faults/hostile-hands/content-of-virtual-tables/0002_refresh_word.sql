-- uplift: reads-seed
INSERT INTO word (id, t) SELECT id, t FROM seed.word AS new
WHERE NOT EXISTS (SELECT 1 FROM word AS old WHERE old.id = new.id);
