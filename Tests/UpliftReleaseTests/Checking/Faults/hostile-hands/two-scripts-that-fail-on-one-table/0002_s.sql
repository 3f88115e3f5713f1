INSERT INTO b SELECT json('x' || x) FROM a;
