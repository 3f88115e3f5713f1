-- uplift: reads-seed
DELETE FROM tag;
INSERT INTO tag SELECT t FROM seed.tag;
