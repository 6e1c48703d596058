package io.taskexec.resolve;

import io.taskexec.secret.SecretCipher;
import io.taskexec.store.ConfigStore;
import io.taskexec.store.Database;
import io.taskexec.store.EndpointStore;
import io.taskexec.store.SecretStore;

/** The real resolver, on a database of a test. */
public final class RealResolver {
    private RealResolver() {}

    public static Resolver on(Database database, SecretCipher cipher) {
        var secrets = new SecretValues(new SecretStore(database), cipher, () -> 300);
        return new Resolver(
                new EndpointStore(database), new ConfigStore(database), secrets, new Identification(() -> "/taskexec"));
    }
}
