-- uplift: reads-seed
UPDATE a SET b = (SELECT b FROM seed.a AS s WHERE s.id = a.id);
