package io.taskexec.testing;

import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;

/** Gives a {@link ServerTest} its program; JUnit closes what is in the store of the class after the class. */
final class ServerExtension implements BeforeAllCallback {
    private static final Namespace NAMESPACE = Namespace.create(ServerExtension.class);

    @Override
    public void beforeAll(ExtensionContext context) throws InterruptedException {
        var test = context.getRequiredTestClass();
        var settings = test.getAnnotation(ServerTest.class);
        var server = settings.own().isEmpty() ? RunningServer.shared(settings) : ownServer(context, settings);
        var receiver = new Receiver();
        context.getStore(NAMESPACE).put(Receiver.class, receiver);
        InjectedFields.set(test, server.db());
        InjectedFields.set(test, server.program());
        InjectedFields.set(test, server.program().api());
        InjectedFields.set(test, receiver);
    }

    private static RunningServer ownServer(ExtensionContext context, ServerTest settings) throws InterruptedException {
        var name = context.getRequiredTestClass().getSimpleName();
        var server = RunningServer.start(name, settings);
        context.getStore(NAMESPACE).put(Program.class, server.program());
        return server;
    }
}
