-- A task that is done stays in the list, with the time.
ALTER TABLE task ADD COLUMN done_at TEXT;
