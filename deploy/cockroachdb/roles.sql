-- The two roles of taskexec on CockroachDB, made once by an administrator, in an empty database of its own, `taskexec`. The
-- owner changes the schema (`taskexec migrate`); the other one, which the servers have, reads and writes rows and can neither
-- change nor drop a table. Neither has a password yet.

CREATE ROLE taskexec_owner LOGIN;
CREATE ROLE taskexec LOGIN;

-- Nobody else has business here.
REVOKE CREATE ON SCHEMA public FROM public;
GRANT CREATE ON DATABASE taskexec TO taskexec_owner;
GRANT USAGE, CREATE ON SCHEMA public TO taskexec_owner;
GRANT USAGE ON SCHEMA public TO taskexec;

-- Of every table that a migration makes, from the first one on. For all roles, since only a member of the owner may say so
-- for the owner. Events are numbered by a sequence.
ALTER DEFAULT PRIVILEGES FOR ALL ROLES IN SCHEMA public
    GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO taskexec;
ALTER DEFAULT PRIVILEGES FOR ALL ROLES IN SCHEMA public
    GRANT USAGE ON SEQUENCES TO taskexec;
