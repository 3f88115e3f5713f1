SELECT "and then
