CREATE UNIQUE INDEX one_tag ON entry_tag (entry);
