package io.taskexec.server;

import io.taskexec.config.ServerConfig;
import io.taskexec.secret.CallbackTokens;
import io.taskexec.secret.KeyRing;
import io.taskexec.secret.SecretCipher;
import io.taskexec.secret.SignedTexts;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Singleton;

/** Makes the beans that packages share. */
final class SharedBeans {
    @Produces
    @Singleton
    SecretCipher secretCipher(ServerConfig config) {
        return new SecretCipher(keys(config));
    }

    @Produces
    @Singleton
    CallbackTokens callbackTokens(ServerConfig config) {
        return new CallbackTokens(keys(config));
    }

    @Produces
    @Singleton
    SignedTexts signedTexts(ServerConfig config) {
        return new SignedTexts(keys(config));
    }

    private static KeyRing keys(ServerConfig config) {
        return KeyRing.parse(config.secretEncryptionKey().orElseThrow());
    }
}
