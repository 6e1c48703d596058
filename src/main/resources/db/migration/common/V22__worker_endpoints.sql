-- Pull workers: endpoints whose executions are leased by programs that ask for them.

-- One type more. Under another name, since CockroachDB does not drop and add a name in one transaction.
ALTER TABLE endpoint_versions DROP CONSTRAINT endpoint_versions_type_known;
ALTER TABLE endpoint_versions ADD CONSTRAINT endpoint_versions_type_is_known
    CHECK (endpoint_type IN ('HTTP', 'KAFKA', 'REDIS_STREAM', 'WORKFLOW', 'APPROVAL', 'WORKER')) NOT VALID;

-- Whether it is the queue of a WORKER endpoint, which processes of taskexec itself do not claim from.
ALTER TABLE queues ADD COLUMN pulled boolean NOT NULL DEFAULT false;
-- When a pull worker last asked for executions of it, within some seconds.
ALTER TABLE queues ADD COLUMN asked_at timestamptz;

-- The endpoints that a key with the scope 'work' is limited to; null for all.
ALTER TABLE api_keys ADD COLUMN endpoints text[];
