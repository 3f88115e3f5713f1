-- uplift: reads-seed
INSERT INTO word SELECT * FROM seed.word WHERE 1 ON CONFLICT (id) DO UPDATE SET t = excluded.t;
UPDATE note SET word_id = 1 WHERE word_id = 2;
