SELECT 1; /* and then
