DROP TABLE note_old;
