package io.taskexec.worker;

import io.taskexec.dispatch.Dispatcher;
import io.taskexec.resolve.Resolver;
import io.taskexec.secret.CallbackTokens;
import io.taskexec.secret.KeyRing;
import io.taskexec.store.sql.Database;
import io.taskexec.store.wait.DeferralStore;
import io.taskexec.wait.CallbackAddresses;
import java.util.Optional;

/** Deliveries of workers that know their public address. */
final class TestDeliveries {
    private TestDeliveries() {}

    static Deliveries of(Dispatcher dispatcher, Resolver resolver, Database database) {
        var tokens = new CallbackTokens(KeyRing.parse(KeyRing.generate()), "test");
        return new Deliveries(
                dispatcher,
                new CallbackAddresses(tokens, () -> Optional.of("http://127.0.0.1:1")),
                new DeferredLooks(new DeferralStore(database), resolver, dispatcher));
    }
}
