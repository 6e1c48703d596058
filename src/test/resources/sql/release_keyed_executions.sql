-- FlowReleases.RELEASE: $1 bigint[], $2 int, $3 int, $4 boolean
PREPARE release_keyed_executions (bigint[], int, int, boolean) AS
WITH keys AS MATERIALIZED (
  SELECT f.flow_id, f.open, coalesce(p.fifo, false) AS fifo, free.n AS free,
    least(
      c.cap - f.open,
      CASE WHEN p.fair THEN $2::int END,
      floor(extract(epoch FROM now() + interval '1 second' - t.first_token)::float8
        / extract(epoch FROM t.spacing)::float8)::int + 1,
      $3::int) - free.n AS room,
    c.cap - f.open - free.n AS places,
    t.first_token + free.n * t.spacing AS next_token, t.spacing
  FROM flow_limits f
  LEFT JOIN flow_policies p ON p.endpoint = f.endpoint,
  LATERAL (SELECT least(p.max_concurrency, p.adaptive_limit)) AS c(cap),
  LATERAL (SELECT p.rate_spacing_us * interval '1 microsecond') AS s(spacing),
  LATERAL (SELECT s.spacing, greatest(f.tat, now()) - (p.rate_burst - 1) * s.spacing)
    AS t(spacing, first_token),
  LATERAL (SELECT count(*)::int FROM (
    SELECT 1 FROM generate_series(0, 7) AS line(number), LATERAL (
      SELECT x.lane, x.run_at, x.execution_id FROM exec_live x
      WHERE x.flow_id = f.flow_id AND x.flow_state = 0 AND x.flow_line = line.number
        AND x.run_at <= now() + interval '1 second' AND (x.visible_at <= now() + interval '1 second') IS TRUE
      LIMIT (SELECT $3::bigint)) AS due
    WHERE (((due.lane & 1073741823) >> 7) IN (SELECT queue_id FROM queues WHERE (paused_at IS NOT NULL AND coalesce(paused_until > now(), true)))) IS NOT TRUE OR (p.fifo IS TRUE AND NOT EXISTS (
      SELECT 1 FROM exec_live h
      WHERE h.flow_id = f.flow_id AND h.flow_state = 1 AND h.flow_line = 0
        AND (h.run_at, h.execution_id) < (due.run_at, due.execution_id)))
    LIMIT (SELECT $3::bigint)) AS few) AS free(n)
  WHERE f.flow_id = ANY((SELECT $1::bigint[])::bigint[])
), heads AS MATERIALIZED (
  SELECT head.execution_id, keys.flow_id, keys.fifo,
    keys.next_token + (row_number() OVER (
      PARTITION BY keys.flow_id
      ORDER BY head.urgency, head.turn, head.run_at, head.execution_id) - 1) * keys.spacing AS token_at
  FROM keys, LATERAL (
    (SELECT few.execution_id, few.flow_line::float8 AS urgency, 0 AS turn, few.run_at FROM (
       SELECT x.execution_id, x.flow_line, x.run_at, x.lane FROM exec_live x
       WHERE x.flow_id = keys.flow_id AND x.flow_state = 1
       ORDER BY x.flow_line, x.run_at, x.execution_id
       LIMIT 1000) AS few
     WHERE (keys.fifo OR NOT (SELECT EXISTS (SELECT 1 FROM queues WHERE aging_ms IS NOT NULL AND deleted_at IS NULL))) AND (keys.fifo OR (((few.lane & 1073741823) >> 7) IN (SELECT queue_id FROM queues WHERE (paused_at IS NOT NULL AND coalesce(paused_until > now(), true)))) IS NOT TRUE)
     ORDER BY few.flow_line, few.run_at, few.execution_id
     LIMIT greatest(keys.room, 0))
    UNION ALL
    (SELECT aged.execution_id, aged.urgency,
       CASE WHEN $4::boolean THEN -aged.flow_line ELSE aged.flow_line END AS turn, aged.run_at
     FROM generate_series(0, 7) AS line(number), LATERAL (
       SELECT few.execution_id, few.flow_line, few.run_at,
         greatest(few.flow_line::float8 - greatest((
           SELECT floor((extract(epoch FROM now() - few.run_at) * 1000)::float8 / q.aging_ms::float8)
           FROM queues q WHERE q.queue_id = ((few.lane & 1073741823) >> 7)), 0), 0) AS urgency
       FROM (
         SELECT x.execution_id, x.flow_line, x.run_at, x.lane FROM exec_live x
         WHERE x.flow_id = keys.flow_id AND x.flow_state = 1 AND x.flow_line = line.number
         ORDER BY x.run_at, x.execution_id
         LIMIT 1000) AS few
       WHERE (((few.lane & 1073741823) >> 7) IN (SELECT queue_id FROM queues WHERE (paused_at IS NOT NULL AND coalesce(paused_until > now(), true)))) IS NOT TRUE
       ORDER BY few.run_at, few.execution_id
       LIMIT greatest(keys.room, 0)) AS aged
     WHERE NOT keys.fifo AND (SELECT EXISTS (SELECT 1 FROM queues WHERE aging_ms IS NOT NULL AND deleted_at IS NULL))
     ORDER BY aged.urgency, turn, aged.run_at, aged.execution_id
     LIMIT greatest(keys.room, 0))
  ) AS head
), locked AS MATERIALIZED (
  SELECT execution_id FROM exec_live
  WHERE execution_id = ANY(ARRAY(SELECT execution_id FROM heads)) AND flow_state = 1
  FOR UPDATE SKIP LOCKED
), released AS (
  UPDATE exec_live live
  SET flow_state = CASE WHEN heads.fifo THEN 2 ELSE 0 END, visible_at = greatest(heads.token_at, now())
  FROM heads
  WHERE heads.execution_id = live.execution_id AND heads.flow_id = live.flow_id
    AND live.execution_id = ANY(ARRAY(SELECT execution_id FROM locked))
  RETURNING live.execution_id, live.flow_id
), rest AS (
  SELECT keys.flow_id, keys.places > given.n OR keys.places IS NULL AS has_place,
    keys.next_token + given.n * keys.spacing AS token_at,
    EXISTS (
      SELECT 1 FROM heads h
      WHERE h.flow_id = keys.flow_id
        AND (h.execution_id IN (SELECT execution_id FROM released)) IS NOT TRUE) AS passes_over,
    (SELECT count(*) FROM heads h WHERE h.flow_id = keys.flow_id) < keys.room AS held_back
  FROM keys,
  LATERAL (SELECT count(*) AS n FROM released r WHERE r.flow_id = keys.flow_id) AS given
  WHERE EXISTS (
    SELECT 1 FROM exec_live x
    WHERE x.flow_id = keys.flow_id AND x.flow_state = 1
      AND (x.execution_id IN (SELECT execution_id FROM released)) IS NOT TRUE)
), counted AS (
  UPDATE flow_limits f
  SET open = f.open + CASE WHEN keys.fifo THEN given.n ELSE 0 END,
      tat = CASE WHEN keys.fifo AND keys.spacing IS NOT NULL AND given.n > 0
        THEN greatest(f.tat, now()) + keys.spacing ELSE f.tat END,
      release_at = (SELECT CASE
        WHEN rest.has_place AND rest.token_at IS NOT NULL AND (rest.passes_over OR NOT rest.held_back)
        THEN greatest(rest.token_at - interval '500 milliseconds', now() + interval '100 milliseconds')
        WHEN rest.passes_over THEN now() + interval '1 second'
        WHEN keys.free > 0 OR rest.held_back OR (given.n > 0 AND NOT keys.fifo)
        THEN least(now() + interval '1 minute', (SELECT min(paused_until) FROM queues WHERE (paused_at IS NOT NULL AND coalesce(paused_until > now(), true)))) END
        FROM rest WHERE rest.flow_id = keys.flow_id),
      lined = EXISTS (SELECT 1 FROM rest WHERE rest.flow_id = keys.flow_id)
  FROM keys, LATERAL (SELECT count(*)::int AS n FROM released r WHERE r.flow_id = keys.flow_id) AS given
  WHERE f.flow_id = keys.flow_id
)
SELECT count(*) AS released FROM released;
