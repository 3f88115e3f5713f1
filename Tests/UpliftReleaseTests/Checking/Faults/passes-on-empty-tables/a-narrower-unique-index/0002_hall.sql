CREATE UNIQUE INDEX one_hall ON seat (hall);
