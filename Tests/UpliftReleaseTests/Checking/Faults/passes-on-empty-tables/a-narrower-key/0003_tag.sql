CREATE UNIQUE INDEX one_entry ON entry_tag (tag);
