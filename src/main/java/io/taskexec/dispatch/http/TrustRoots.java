package io.taskexec.dispatch.http;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509TrustManager;
import org.jspecify.annotations.Nullable;

/** Certificates of authorities that are trusted beside those of the JVM. Immutable. */
public final class TrustRoots {
    /** None. */
    static final TrustRoots NONE = new TrustRoots(List.of());

    private static final String BEGIN = "-----BEGIN CERTIFICATE-----";

    private final List<Certificate> more;

    private TrustRoots(List<Certificate> more) {
        this.more = more;
    }

    /**
     * Those that the configuration names.
     *
     * @throws IllegalArgumentException with a sentence for the operator when the file cannot be read or has no
     * certificate
     */
    public static Optional<TrustRoots> of(HttpConfig config) {
        return config.caFile().map(TrustRoots::ofFile);
    }

    private static TrustRoots ofFile(String file) {
        try {
            return NONE.and(Files.readString(Path.of(file)));
        } catch (IOException _) {
            throw new IllegalArgumentException("'" + file + "' cannot be read");
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("'" + file + "' holds " + e.getMessage(), e);
        }
    }

    /**
     * These and those in {@code pem}; throws IllegalArgumentException when it has no certificate or a malformed one.
     */
    TrustRoots and(String pem) {
        if (!pem.contains(BEGIN)) {
            throw new IllegalArgumentException("no certificate in PEM");
        }
        try {
            var all = new ArrayList<>(more);
            // Text may stand before the first and between them, as in many a bundle.
            for (var from = pem.indexOf(BEGIN); from >= 0; from = pem.indexOf(BEGIN, from + 1)) {
                var bytes = pem.substring(from).getBytes(StandardCharsets.US_ASCII);
                all.add(CertificateFactory.getInstance("X.509").generateCertificate(new ByteArrayInputStream(bytes)));
            }
            return new TrustRoots(List.copyOf(all));
        } catch (CertificateException e) {
            throw new IllegalArgumentException("a certificate that is malformed", e);
        }
    }

    /** These and those of the JVM, ready for handshakes. */
    TrustManagerFactory trust() {
        try {
            var store = KeyStore.getInstance(KeyStore.getDefaultType());
            store.load(null, null);
            var all = new ArrayList<>(ofJvm());
            all.addAll(more);
            for (var i = 0; i < all.size(); i++) {
                store.setCertificateEntry("ca-" + i, all.get(i));
            }
            return factory(store);
        } catch (GeneralSecurityException | IOException e) {
            throw new IllegalStateException("the certificates of authorities cannot be used", e);
        }
    }

    private static List<Certificate> ofJvm() throws GeneralSecurityException {
        return Arrays.stream(factory(null).getTrustManagers())
                .filter(X509TrustManager.class::isInstance)
                .flatMap(manager -> Arrays.stream(((X509TrustManager) manager).getAcceptedIssuers()))
                .<Certificate>map(certificate -> certificate)
                .toList();
    }

    private static TrustManagerFactory factory(@Nullable KeyStore store) throws GeneralSecurityException {
        var factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        factory.init(store);
        return factory;
    }
}
