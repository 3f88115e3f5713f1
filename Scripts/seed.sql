-- The guestbook as it ships: what a new data directory begins with.

PRAGMA page_size = 4096;
PRAGMA journal_mode = DELETE;
PRAGMA application_id = 0x67626F6B; -- "gbok"
PRAGMA foreign_keys = ON;

BEGIN;

CREATE TABLE guests (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  last_signed TEXT
);

CREATE TABLE entries (
  id INTEGER PRIMARY KEY,
  guest_id INTEGER NOT NULL REFERENCES guests (id) ON DELETE CASCADE,
  message TEXT,
  signed_at TEXT DEFAULT CURRENT_TIMESTAMP
);

CREATE TABLE entry_tags (
  entry_id INTEGER NOT NULL REFERENCES entries (id) ON DELETE CASCADE,
  tag TEXT NOT NULL,
  PRIMARY KEY (entry_id, tag)
) WITHOUT ROWID;

CREATE INDEX entries_by_guest ON entries (guest_id);

-- Keeps guests.last_signed.
CREATE TRIGGER entries_signed AFTER INSERT ON entries
BEGIN
  UPDATE guests SET last_signed = new.signed_at WHERE id = new.guest_id;
END;

INSERT INTO guests (id, name) VALUES
  (1, 'Heron'),
  (2, 'Otter'),
  (3, 'Badger');

INSERT INTO entries (id, guest_id, message, signed_at) VALUES
  (1, 1, 'The first entry; may many follow.', '2026-01-05 09:30:00'),
  (2, 2, 'A lovely place.', '2026-01-06 14:05:00'),
  (3, 1, NULL, '2026-02-11 18:20:00'),
  (4, 2, 'Back again.', '2026-03-02 08:45:00');

INSERT INTO entry_tags (entry_id, tag) VALUES
  (1, 'first'),
  (1, 'wish'),
  (4, 'return');

PRAGMA user_version = 1;

COMMIT;
