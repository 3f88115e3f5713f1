-- uplift: reads-seed
INSERT INTO word SELECT * FROM seed.word;
