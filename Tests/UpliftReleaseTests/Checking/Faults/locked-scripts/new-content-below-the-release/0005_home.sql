CREATE TABLE home (a);
