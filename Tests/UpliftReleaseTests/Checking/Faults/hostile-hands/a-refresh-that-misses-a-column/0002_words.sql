-- uplift: reads-seed
INSERT INTO word SELECT * FROM seed.word WHERE 1
ON CONFLICT (id) DO UPDATE SET t = excluded.t WHERE t IS NOT excluded.t;
