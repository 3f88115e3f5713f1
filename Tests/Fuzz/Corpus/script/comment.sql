/* one; */ -- two; '
SELECT ';', "a", [b], `id` FROM t; EXPLAIN SELECT 1;;