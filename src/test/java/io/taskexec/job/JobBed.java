package io.taskexec.job;

import io.smallrye.mutiny.Uni;
import io.taskexec.model.job.JobFields;
import io.taskexec.request.ApiException;
import io.taskexec.request.Fields;
import io.taskexec.store.endpoint.QueueSettingsStore;
import io.taskexec.store.endpoint.QueueStore;
import io.taskexec.store.job.IdempotencyKeyStore;
import io.taskexec.store.job.JobStore;
import io.taskexec.store.job.QueueTtls;
import io.taskexec.store.wakeup.DueSignal;
import io.taskexec.testing.Rows;
import io.taskexec.testing.TestDb;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** The application service for jobs on a real database, with the endpoint "welcome". An extension clears its jobs. */
final class JobBed implements BeforeEachCallback, AfterAllCallback, AutoCloseable {
    static final String ENDPOINT = Rows.ENDPOINT;

    final TestDb db;
    final Rows rows;
    final JobStore jobs;
    final DueSignal signal = new DueSignal();
    final RegisteredEndpoints endpoints;
    final JobCreation creation;
    final JobUpdates updates;
    final QueueTtls ttls;

    JobBed() {
        this(TestDb.fresh());
    }

    JobBed(TestDb db) {
        this.db = db;
        rows = new Rows(db);
        jobs = new JobStore(db.database());
        ttls = new QueueTtls(new QueueSettingsStore(db.database()));
        rows.endpoint(ENDPOINT).insert();
        var keys = new IdempotencyKeyStore(db.database(), () -> 24);
        var region = db.region("default");
        var checks = new InputChecks();
        endpoints = RealJobCreation.endpoints(db.database(), checks);
        var stores = RealJobCreation.stores(db.database(), keys, signal, region);
        var dryRuns = new DryRuns(db.database(), keys, region);
        var queues = new JobQueues(new QueueStore(db.database()), ttls);
        creation = new JobCreation(endpoints, stores, queues, checks, dryRuns);
        updates = new JobUpdates(creation, endpoints, stores, queues, checks, dryRuns);
    }

    /** An endpoint whose inputs need a number {@code n}. */
    void checkedEndpoint(String name) {
        var _ = db.execute(
                "INSERT INTO payload_specs VALUES ($1, 1, $2::text::json, now(), now())",
                name,
                "{\"required\": [\"n\"], \"properties\": {\"n\": {\"type\": \"integer\"}}}");
        rows.endpoint(name).payloadSpec(name).insert();
    }

    Uni<JobCreation.Outcome> creating(String body) {
        return creation.create(fields(body), null, null, new CheckTime("", 0), false);
    }

    JobCreation.Outcome create(String body) {
        return TestDb.await(creating(body));
    }

    /** The error that a body is refused with. */
    ApiException refusal(String body) {
        return Assertions.catchThrowableOfType(ApiException.class, () -> create(body));
    }

    /** A body in single quotes. */
    static Fields fields(String body) {
        return Fields.of(Rows.json(body), "", JobFields.NEW_JOB);
    }

    @Override
    public void beforeEach(ExtensionContext context) {
        rows.clearJobs();
    }

    @Override
    public void afterAll(ExtensionContext context) {
        close();
    }

    @Override
    public void close() {
        db.close();
    }
}
