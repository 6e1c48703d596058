package io.taskexec;

import io.taskexec.secret.KeyRing;
import io.taskexec.secret.SecretCipher;
import jakarta.enterprise.inject.Disposes;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Singleton;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;

/** What the packages share and none of them owns. */
final class Beans {
    @Produces
    @Singleton
    ScheduledExecutorService timer() {
        return Executors.newSingleThreadScheduledExecutor(
                Thread.ofPlatform().name("loops").daemon().factory());
    }

    void stop(@Disposes ScheduledExecutorService timer) {
        timer.shutdownNow();
    }

    @Produces
    @Singleton
    SecretCipher secretCipher(ServerConfig config) {
        return new SecretCipher(KeyRing.parse(config.secretEncryptionKey().orElseThrow()));
    }
}
