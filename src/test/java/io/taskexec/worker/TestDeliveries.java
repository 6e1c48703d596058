package io.taskexec.worker;

import io.taskexec.dispatch.Dispatcher;
import io.taskexec.resolve.CallbackAddresses;
import io.taskexec.resolve.Resolver;
import io.taskexec.secret.CallbackTokens;
import io.taskexec.secret.KeyRing;
import io.taskexec.store.wait.DeferralStore;
import io.taskexec.store.wakeup.DueSignal;
import io.taskexec.testing.Stores;
import io.taskexec.testing.TestDb;
import io.taskexec.wait.RealApprovals;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Deliveries of workers. */
final class TestDeliveries {
    static final CallbackTokens TOKENS = new CallbackTokens(KeyRing.parse(KeyRing.generate()));

    private TestDeliveries() {}

    /** Of a worker that knows its public address. */
    static Deliveries of(Dispatcher dispatcher, Resolver resolver, TestDb db) {
        return of(dispatcher, resolver, db, new DueSignal(), "http://127.0.0.1:1");
    }

    static Deliveries of(
            Dispatcher dispatcher, Resolver resolver, TestDb db, DueSignal dueSignal, @Nullable String publicUrl) {
        var addresses = new CallbackAddresses(TOKENS, () -> Optional.ofNullable(publicUrl));
        var approvals = RealApprovals.on(db, dueSignal, addresses);
        var looks = new DeferredLooks(new DeferralStore(db.database()), resolver, dispatcher, approvals);
        return new Deliveries(dispatcher, addresses, looks, approvals, Stores.leases(db.database(), dueSignal));
    }
}
