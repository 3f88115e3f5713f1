-- uplift: reads-seed
DELETE FROM word WHERE id NOT IN (SELECT id FROM seed.word);
