-- uplift: reads-seed
-- It changes no user.
DELETE FROM main.word WHERE id NOT IN (SELECT id FROM seed.word)
  AND NOT EXISTS (SELECT 1 FROM user WHERE user.word = word.id);
