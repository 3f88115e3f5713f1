UPDATE word SET gloss = 'a small animal with six legs' WHERE text IN ('ant', 'bee');
UPDATE word SET gloss = 'an animal that sleeps' WHERE text = 'cat';
