-- What the audit log says stays for 30 days at least, whoever has got hold of a server: its role can write an entry and can
-- neither change nor remove one. A trigger and no missing right, since servers of the version before remove old entries
-- themselves, and since a migration does not know the names of roles. Only the owner of the table can take it away.
CREATE FUNCTION keep_audit_log() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' AND (OLD).at < now() - INTERVAL '30 days' THEN
        RETURN OLD;
    END IF;
    RAISE EXCEPTION 'entries of the audit log cannot be changed, and not be removed for 30 days'
        USING ERRCODE = '42501';
END
$$;

CREATE TRIGGER audit_log_is_kept BEFORE UPDATE OR DELETE ON audit_log
    FOR EACH ROW EXECUTE FUNCTION keep_audit_log();
