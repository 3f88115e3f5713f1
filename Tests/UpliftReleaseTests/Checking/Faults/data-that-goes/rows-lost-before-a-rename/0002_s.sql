CREATE TABLE note_new (id INTEGER PRIMARY KEY, text, day);
