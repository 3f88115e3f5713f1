CREATE UNIQUE INDEX note_body ON note (body);
