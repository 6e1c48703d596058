-- The roles of taskexec on PostgreSQL, made once by an administrator, in its own, empty database. The owner changes the
-- schema (`taskexec migrate`); the second one, which the servers have, reads and writes rows and can neither change nor drop
-- a table. Neither has a password yet: \password taskexec_owner and \password taskexec of psql give them one. With the
-- rights of the third one run the functions for applications (docs/sql-functions.md).

CREATE ROLE taskexec_owner LOGIN;
CREATE ROLE taskexec LOGIN;
CREATE ROLE taskexec_api NOLOGIN;
GRANT taskexec_api TO taskexec_owner;
-- An administrator who is no superuser acts for the owner below.
GRANT taskexec_owner TO CURRENT_USER;

-- Nobody else has business here.
REVOKE ALL ON SCHEMA public FROM PUBLIC;
GRANT USAGE, CREATE ON SCHEMA public TO taskexec_owner;
GRANT USAGE ON SCHEMA public TO taskexec, taskexec_api;
CREATE SCHEMA taskexec_api AUTHORIZATION taskexec_owner;

-- Of every table that a migration makes, from the first one on.
ALTER DEFAULT PRIVILEGES FOR ROLE taskexec_owner IN SCHEMA public
    GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO taskexec;
ALTER DEFAULT PRIVILEGES FOR ROLE taskexec_owner IN SCHEMA public
    GRANT USAGE ON SEQUENCES TO taskexec;

REVOKE taskexec_owner FROM CURRENT_USER;

-- Where the schema public is not the administrator's, PostgreSQL only warns that nothing was granted or revoked.
DO $$
BEGIN
    IF NOT has_schema_privilege('taskexec_owner', 'public', 'CREATE')
        OR has_schema_privilege('taskexec', 'public', 'CREATE') THEN
        RAISE EXCEPTION 'the schema public belongs to another role: its owner, or a superuser, must run this';
    END IF;
END
$$;
