package io.taskexec.testing;

import io.vertx.core.net.PfxOptions;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

/** An authority of our own, and what it vouches for; made once for all tests of a JVM. */
public final class TestCertificates {
    /** Of localhost, and of nothing else. */
    public static final String LOCALHOST = "localhost";

    /** As {@link #LOCALHOST}, but it has expired. */
    public static final String EXPIRED = "expired";

    /** Of somebody who calls. */
    public static final String CLIENT = "client";

    private static final String PASSWORD = "changeit";
    private static final Path STORE = make();

    private TestCertificates() {}

    /** A certificate with its key, for a server of Vert.x. */
    public static PfxOptions identity(String alias) {
        return new PfxOptions().setPath(STORE.toString()).setPassword(PASSWORD).setAlias(alias);
    }

    /** The certificate of the authority, in PEM. */
    public static String authority() {
        return certificates("authority");
    }

    /** The file that holds {@link #authority}. */
    public static Path authorityFile() {
        try {
            return Files.writeString(STORE.resolveSibling("authority.pem"), authority());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A certificate and those that lead from it to the authority, in PEM. */
    public static String certificates(String alias) {
        try {
            var pem = new StringBuilder();
            for (Certificate certificate : open().getCertificateChain(alias)) {
                pem.append(pem("CERTIFICATE", certificate.getEncoded()));
            }
            return pem.toString();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The private key of a certificate, in PEM. */
    public static String key(String alias) {
        try {
            return pem(
                    "PRIVATE KEY", open().getKey(alias, PASSWORD.toCharArray()).getEncoded());
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String pem(String kind, byte[] bytes) {
        var lines = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(bytes);
        return "-----BEGIN %1$s-----%n%2$s%n-----END %1$s-----%n".formatted(kind, lines);
    }

    private static KeyStore open() throws GeneralSecurityException {
        try (var in = new FileInputStream(STORE.toFile())) {
            var store = KeyStore.getInstance("PKCS12");
            store.load(in, PASSWORD.toCharArray());
            return store;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Path make() {
        try {
            var store = Files.createDirectories(TestFiles.directory("certificates"))
                    .toAbsolutePath()
                    .resolve("store.p12");
            // An earlier run has left one with the same aliases.
            var _ = Files.deleteIfExists(store);
            keytool(store, "authority", "-dname", "CN=authority", "-ext", "bc:c", "-validity", "30");
            vouchedFor(store, LOCALHOST, "-dname", "CN=localhost", "-ext", "SAN=dns:localhost", "-validity", "30");
            vouchedFor(store, CLIENT, "-dname", "CN=caller", "-validity", "30");
            var past = new String[] {
                "-dname", "CN=localhost", "-ext", "SAN=dns:localhost", "-startdate", "-30d", "-validity", "20"
            };
            vouchedFor(store, EXPIRED, past);
            return store;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void vouchedFor(Path store, String alias, String... more) throws IOException, InterruptedException {
        var arguments = new ArrayList<>(List.of("-signer", "authority"));
        arguments.addAll(List.of(more));
        keytool(store, alias, arguments.toArray(String[]::new));
    }

    private static void keytool(Path store, String alias, String... more) throws IOException, InterruptedException {
        var command = new ArrayList<String>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
        command.addAll(List.of("-genkeypair", "-keyalg", "EC", "-alias", alias));
        command.addAll(List.of(more));
        command.addAll(List.of("-storetype", "PKCS12", "-storepass", PASSWORD, "-keystore", store.toString()));
        if (new ProcessBuilder(command).inheritIO().start().waitFor() != 0) {
            throw new IllegalStateException("keytool could not make " + alias);
        }
    }
}
