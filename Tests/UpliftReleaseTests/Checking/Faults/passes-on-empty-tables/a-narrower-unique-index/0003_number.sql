CREATE UNIQUE INDEX one_number ON seat (no);
