-- uplift: reads-seed
--
-- Brings the rows of the seed into existing databases. A row is changed or removed only if it still is
-- what a release has shipped, and no other row refers to it. A row that a user has added or deleted
-- stays so. If a column belongs to the user, remove it from the UPDATE: after SET, and on both sides of IS.

-- differences: prompts
-- uplift bake --content writes this part anew, from the seeds in Released.
-- former: the contents that rows had in releases, and have not any more.
-- lacked: the keys that a database from a release of at least since and below below does not have.
CREATE TEMP TABLE former_prompts (id, text);
CREATE TEMP TABLE lacked_prompts (id, since, below);
INSERT INTO lacked_prompts SELECT id, 0, 1 FROM seed.prompts WHERE upgraded_from() < 1;
INSERT INTO lacked_prompts VALUES
  (1, 1, 7),
  (2, 1, 7),
  (3, 1, 7);
-- end of differences

-- Rows of prompts that the seed has no more, and nobody has edited.
CREATE TEMP TABLE gone_prompts AS
SELECT mine.id
FROM former_prompts AS old JOIN prompts AS mine ON mine.id = old.id
WHERE (old.id, old.text) IS (mine.id, mine.text)
  AND NOT EXISTS (SELECT 1 FROM seed.prompts AS new WHERE new.id = mine.id);

DELETE FROM prompts AS mine WHERE id IN (SELECT id FROM gone_prompts);

UPDATE prompts AS mine SET
  text = new.text
FROM former_prompts AS old, seed.prompts AS new
WHERE mine.id = old.id
  AND mine.id = new.id
  AND (old.id, old.text) IS (mine.id, mine.text);

INSERT INTO prompts (id, text)
SELECT new.id, new.text
FROM lacked_prompts AS gap JOIN seed.prompts AS new ON new.id = gap.id
WHERE gap.since <= upgraded_from() AND upgraded_from() < gap.below
  AND NOT EXISTS (SELECT 1 FROM prompts AS mine WHERE mine.id = new.id)
ON CONFLICT DO NOTHING;
