-- uplift: reads-seed
INSERT INTO word SELECT * FROM seed.words WHERE 1 ON CONFLICT (id) DO UPDATE SET t = excluded.t;
