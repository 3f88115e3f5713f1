INSERT INTO note SELECT *, 0 FROM note_old;
