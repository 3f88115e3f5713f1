PRAGMA user_version = 7;
PRAGMA application_id = 1734504299;

CREATE TABLE "entries" (
  id INTEGER PRIMARY KEY,
  guest_id INTEGER NOT NULL REFERENCES guests (id) ON DELETE CASCADE,
  message TEXT NOT NULL CHECK (length(message) <= 500),
  signed_at TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP
);

CREATE INDEX entries_by_guest ON entries (guest_id);

CREATE TRIGGER entries_counted AFTER INSERT ON entries
BEGIN
  UPDATE guests SET entry_count = entry_count + 1 WHERE id = new.guest_id;
END;

CREATE TRIGGER entries_signed AFTER INSERT ON entries
BEGIN
  UPDATE guests SET last_signed = new.signed_at WHERE id = new.guest_id;
END;

CREATE TRIGGER entries_uncounted AFTER DELETE ON entries
BEGIN
  UPDATE guests SET entry_count = entry_count - 1 WHERE id = old.guest_id;
END;

CREATE TABLE entry_tags (
  entry_id INTEGER NOT NULL REFERENCES entries (id) ON DELETE CASCADE,
  tag TEXT NOT NULL,
  PRIMARY KEY (entry_id, tag)
) WITHOUT ROWID;

CREATE TABLE guests (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  last_signed TEXT
, entry_count INTEGER NOT NULL DEFAULT 0);

CREATE INDEX guests_by_last_signed ON guests (last_signed) WHERE last_signed IS NOT NULL;

CREATE TABLE prompts (
  id INTEGER PRIMARY KEY,
  text TEXT NOT NULL
);

CREATE TABLE visits (
  id INTEGER PRIMARY KEY,
  guest_id INTEGER NOT NULL REFERENCES guests (id) ON DELETE CASCADE,
  visited_at TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP
);

CREATE INDEX visits_by_guest ON visits (guest_id);
