package io.taskexec.server;

import io.taskexec.config.ServerConfig;
import io.taskexec.secret.KeyRing;
import io.taskexec.secret.SecretCipher;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Singleton;

/** Makes the beans that packages share. */
final class SharedBeans {
    @Produces
    @Singleton
    SecretCipher secretCipher(ServerConfig config) {
        return new SecretCipher(KeyRing.parse(config.secretEncryptionKey().orElseThrow()));
    }
}
