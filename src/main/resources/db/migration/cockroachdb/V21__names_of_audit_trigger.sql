-- Nothing: functions have no settings there. The file keeps the versions of both databases the same.
SELECT 1;
