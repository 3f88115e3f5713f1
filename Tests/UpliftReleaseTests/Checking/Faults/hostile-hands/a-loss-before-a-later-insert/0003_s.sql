DROP TABLE t_old;
