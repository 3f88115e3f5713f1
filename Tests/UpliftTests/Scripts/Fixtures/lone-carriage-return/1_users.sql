-- one line?SELECT 1;
