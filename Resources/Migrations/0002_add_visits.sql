-- Keeps each visit of a guest, beginning with the times at which they signed.

CREATE TABLE visits (
  id INTEGER PRIMARY KEY,
  guest_id INTEGER NOT NULL REFERENCES guests (id) ON DELETE CASCADE,
  visited_at TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP
);

CREATE INDEX visits_by_guest ON visits (guest_id);

INSERT INTO visits (guest_id, visited_at)
SELECT guest_id, coalesce(signed_at, CURRENT_TIMESTAMP) FROM entries ORDER BY id;
