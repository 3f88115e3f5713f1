CREATE TRIGGER users_stay BEFORE UPDATE ON Users BEGIN SELECT raise(ABORT, 'users are not changed'); END;
UPDATE Users SET name = upper(name);
