UPDATE other SET id = 2;
