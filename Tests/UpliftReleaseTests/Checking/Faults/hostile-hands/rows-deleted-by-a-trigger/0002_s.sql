UPDATE p SET id = 2;
