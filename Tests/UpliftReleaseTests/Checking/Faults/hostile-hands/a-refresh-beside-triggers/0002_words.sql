-- uplift: reads-seed
INSERT INTO kind SELECT * FROM seed.kind WHERE 1
ON CONFLICT (id) DO UPDATE SET words = excluded.words WHERE words IS NOT excluded.words;
INSERT INTO word SELECT * FROM seed.word WHERE 1
ON CONFLICT (id) DO UPDATE SET kind = excluded.kind WHERE kind IS NOT excluded.kind;
