INSERT INTO a_tmp SELECT id, coalesce(x, 1) FROM a;
