-- uplift: reads-seed
INSERT INTO word (id, text) SELECT id, text FROM seed.word WHERE 1
ON CONFLICT (id) DO UPDATE SET text = excluded.text WHERE text IS NOT excluded.text;
