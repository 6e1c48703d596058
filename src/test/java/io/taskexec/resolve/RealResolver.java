package io.taskexec.resolve;

import io.taskexec.secret.CallbackTokens;
import io.taskexec.secret.KeyRing;
import io.taskexec.secret.SecretCipher;
import io.taskexec.store.dependency.ParentResults;
import io.taskexec.store.endpoint.ConfigStore;
import io.taskexec.store.endpoint.EndpointStore;
import io.taskexec.store.endpoint.PayloadSpecStore;
import io.taskexec.store.endpoint.SecretStore;
import io.taskexec.store.sql.Database;
import io.taskexec.store.workflow.RunStore;
import java.util.List;
import java.util.Optional;

/** The real resolver, on a database of a test. */
public final class RealResolver {
    private RealResolver() {}

    public static Resolver on(Database database, SecretCipher cipher) {
        var secrets = new SecretValues(new SecretStore(database), cipher, () -> 300);
        return new Resolver(
                new PlanCache(
                        new EndpointStore(database),
                        new ConfigStore(database),
                        () -> Optional.of(List.of("target-key"))),
                secrets,
                new SigningResolver(() -> "/taskexec"),
                new JobInputs(
                        new ParentResults(database),
                        contexts(database),
                        new InputSchemas(new PayloadSpecStore(database))),
                new CallbackAddresses(
                        new CallbackTokens(KeyRing.parse(KeyRing.generate())),
                        () -> Optional.of("http://127.0.0.1:1")));
    }

    public static WorkflowContexts contexts(Database database) {
        return new WorkflowContexts(new RunStore(database));
    }
}
