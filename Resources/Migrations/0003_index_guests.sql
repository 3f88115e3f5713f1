-- Finds the guests who signed last without reading all of them.

CREATE INDEX guests_by_last_signed ON guests (last_signed) WHERE last_signed IS NOT NULL;
