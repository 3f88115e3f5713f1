SELECT 'and then
