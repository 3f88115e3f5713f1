CREATE UNIQUE INDEX x ON o (item, qty);
