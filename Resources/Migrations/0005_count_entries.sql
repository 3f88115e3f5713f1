-- Counts each guest's entries, and keeps the count from now on.

ALTER TABLE guests ADD COLUMN entry_count INTEGER NOT NULL DEFAULT 0;

UPDATE guests
SET entry_count = (SELECT count(*) FROM entries WHERE entries.guest_id = guests.id);

CREATE TRIGGER entries_counted AFTER INSERT ON entries
BEGIN
  UPDATE guests SET entry_count = entry_count + 1 WHERE id = new.guest_id;
END;

CREATE TRIGGER entries_uncounted AFTER DELETE ON entries
BEGIN
  UPDATE guests SET entry_count = entry_count - 1 WHERE id = old.guest_id;
END;
