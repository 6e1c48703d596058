-- LaneDirectory.READ: $1 int[], $2 int
PREPARE read_lane_directory (int[], int) AS
WITH RECURSIVE lanes AS (
  (SELECT lane, visible_at FROM exec_live WHERE TRUE ORDER BY lane, visible_at LIMIT 1)
  UNION ALL
  SELECT next.lane, next.visible_at
  FROM lanes, LATERAL (
    SELECT lane, visible_at FROM exec_live WHERE lane > lanes.lane AND TRUE
    ORDER BY lane, visible_at LIMIT 1
  ) AS next
)
SELECT array_agg(DISTINCT lane - (lane & 7)) FILTER (WHERE visible_at <= now()) AS due,
       ceil(extract(epoch FROM
         min(least(visible_at, now() + interval '1 day')) FILTER (WHERE visible_at > now()) - now()
       ) * 1000)::bigint AS delay_ms,
       (SELECT count(*) FROM lanes)::int AS looks
FROM lanes
WHERE ((lane >> 3) & 7) = ANY((SELECT $1::int[])::int[]) AND (lane & 7) <= $2::int;
