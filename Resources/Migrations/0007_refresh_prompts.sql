-- uplift: reads-seed
--
-- Brings the rows of the seed into existing databases. Rows of other tables are not changed.
--
-- To keep the rows that the seed no longer has, remove the DELETE of the table. To keep a
-- user's values of a column, remove the column after SET and after the last WHERE.

DELETE FROM prompts WHERE id NOT IN (SELECT id FROM seed.prompts);

INSERT INTO prompts (id, text)
SELECT id, text FROM seed.prompts WHERE true
ON CONFLICT (id) DO UPDATE SET
  text = excluded.text
WHERE text IS NOT excluded.text;
