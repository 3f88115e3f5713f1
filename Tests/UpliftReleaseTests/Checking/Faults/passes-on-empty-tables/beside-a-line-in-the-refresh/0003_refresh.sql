-- uplift: reads-seed
DELETE FROM word WHERE id NOT IN (SELECT id FROM seed.word);
UPDATE note SET word_id = NULL WHERE word_id NOT IN (SELECT id FROM seed.word);
