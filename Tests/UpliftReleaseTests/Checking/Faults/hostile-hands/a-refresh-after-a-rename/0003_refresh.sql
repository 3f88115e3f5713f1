-- uplift: reads-seed
DELETE FROM words WHERE word_id NOT IN (SELECT word_id FROM seed.words);
INSERT INTO words SELECT * FROM seed.words WHERE 1
ON CONFLICT (word_id) DO UPDATE SET t = excluded.t WHERE t IS NOT excluded.t;
