ALTER TABLE note_new RENAME TO note;
