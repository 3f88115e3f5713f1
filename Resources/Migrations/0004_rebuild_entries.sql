-- Rebuilds the entries so that each has a time and a message of at most 500 characters.
--
-- SQLite cannot add these constraints to a table that exists; this is the procedure of
-- sqlite.org/lang_altertable.html, section 7, and runs in the sqlite3 shell as it is.

PRAGMA foreign_keys = OFF;
BEGIN;

CREATE TABLE new_entries (
  id INTEGER PRIMARY KEY,
  guest_id INTEGER NOT NULL REFERENCES guests (id) ON DELETE CASCADE,
  message TEXT NOT NULL CHECK (length(message) <= 500),
  signed_at TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP
);

INSERT INTO new_entries (id, guest_id, message, signed_at)
SELECT id, guest_id, substr(coalesce(message, ''), 1, 500), coalesce(signed_at, CURRENT_TIMESTAMP)
FROM entries;

DROP TABLE entries;

ALTER TABLE new_entries RENAME TO entries;

-- The index and the trigger went with the old table.
CREATE INDEX entries_by_guest ON entries (guest_id);

CREATE TRIGGER entries_signed AFTER INSERT ON entries
BEGIN
  UPDATE guests SET last_signed = new.signed_at WHERE id = new.guest_id;
END;

PRAGMA foreign_key_check;

COMMIT;
PRAGMA foreign_keys = ON;
