-- Ideas for guests who do not know what to write. They ship with the guestbook.

CREATE TABLE prompts (
  id INTEGER PRIMARY KEY,
  text TEXT NOT NULL
);
