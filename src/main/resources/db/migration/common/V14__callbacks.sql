-- An endpoint may name others that get the results of its executions. The heads refer to them, so that none of them can
-- be deleted under it; the versions keep the names for the jobs that were made for them.
ALTER TABLE endpoints ADD COLUMN on_success_ref text;

ALTER TABLE endpoints ADD COLUMN on_failure_ref text;

ALTER TABLE endpoints ADD CONSTRAINT endpoints_on_success_fk FOREIGN KEY (on_success_ref) REFERENCES endpoints (name);

ALTER TABLE endpoints ADD CONSTRAINT endpoints_on_failure_fk FOREIGN KEY (on_failure_ref) REFERENCES endpoints (name);

CREATE INDEX endpoints_by_on_success ON endpoints (on_success_ref);

CREATE INDEX endpoints_by_on_failure ON endpoints (on_failure_ref);

ALTER TABLE endpoint_versions ADD COLUMN on_success text;

ALTER TABLE endpoint_versions ADD COLUMN on_failure text;

-- The execution whose result a job carries. Such a job is the end of it: its own result is reported to nobody.
ALTER TABLE jobs ADD COLUMN callback_of uuid;
