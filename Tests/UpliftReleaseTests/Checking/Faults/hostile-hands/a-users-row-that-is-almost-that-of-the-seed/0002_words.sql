-- uplift: reads-seed
INSERT OR REPLACE INTO word SELECT * FROM seed.word;
