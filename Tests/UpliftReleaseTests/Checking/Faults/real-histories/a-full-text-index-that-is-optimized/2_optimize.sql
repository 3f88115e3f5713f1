INSERT INTO f(f) VALUES('optimize'); INSERT INTO g(g) VALUES('optimize');
