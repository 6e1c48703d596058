-- Nothing: this is about the pages of PostgreSQL. The file keeps the versions of both databases the same.
SELECT 1;
