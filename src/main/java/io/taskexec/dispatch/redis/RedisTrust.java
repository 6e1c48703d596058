package io.taskexec.dispatch.redis;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import javax.net.ssl.TrustManagerFactory;

/** Reads the authorities that vouch for servers of Redis. */
public final class RedisTrust {
    private RedisTrust() {}

    /**
     * Trust in the authorities whose certificates stand in {@code pem}, and in no others.
     *
     * @throws IllegalArgumentException with a sentence for the operator when the file has no certificate
     */
    public static TrustManagerFactory in(String pem) {
        try {
            var certificates = CertificateFactory.getInstance("X.509")
                    .generateCertificates(new ByteArrayInputStream(pem.getBytes(StandardCharsets.UTF_8)));
            var store = KeyStore.getInstance(KeyStore.getDefaultType());
            store.load(null, null);
            for (var certificate : certificates) {
                store.setCertificateEntry("authority-" + store.size(), certificate);
            }
            if (store.size() == 0) {
                throw new IllegalArgumentException("it holds no certificate in PEM");
            }
            var trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trust.init(store);
            return trust;
        } catch (GeneralSecurityException | IOException e) {
            throw new IllegalArgumentException("it holds no certificates in PEM that can be read", e);
        }
    }
}
