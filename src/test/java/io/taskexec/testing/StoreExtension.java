package io.taskexec.testing;

import java.util.Objects;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;

/** Gives a {@link StoreTest} its database; JUnit closes what is in the store of the class after the class. */
final class StoreExtension implements BeforeAllCallback, BeforeEachCallback {
    private static final Namespace NAMESPACE = Namespace.create(StoreExtension.class);

    @Override
    public void beforeAll(ExtensionContext context) {
        var test = context.getRequiredTestClass();
        var db = TestDb.fresh();
        context.getStore(NAMESPACE).put(TestDb.class, db);
        InjectedFields.set(test, db);
        InjectedFields.set(test, new Rows(db));
    }

    @Override
    public void beforeEach(ExtensionContext context) {
        if (context.getRequiredTestClass().getAnnotation(StoreTest.class).clearJobs()) {
            var db = Objects.requireNonNull(context.getStore(NAMESPACE).get(TestDb.class, TestDb.class));
            new Rows(db).clearJobs();
        }
    }
}
