UPDATE cart SET n = abs(n);
