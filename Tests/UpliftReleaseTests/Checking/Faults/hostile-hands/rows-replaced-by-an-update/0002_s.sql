UPDATE t SET a = 1;
