-- Each task belongs to a list. The tasks that exist already go to the first one.
CREATE TABLE list (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE
);
INSERT INTO list (id, name) VALUES (1, 'inbox');

CREATE TABLE new_task (
  id INTEGER PRIMARY KEY,
  list_id INTEGER NOT NULL DEFAULT 1 REFERENCES list (id),
  text TEXT NOT NULL,
  done_at TEXT
);
INSERT INTO new_task (id, text, done_at) SELECT id, text, done_at FROM task;
DROP TABLE task;
ALTER TABLE new_task RENAME TO task;
