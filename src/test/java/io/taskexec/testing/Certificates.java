package io.taskexec.testing;

import java.io.IOException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

/** An authority of its own, and certificates that it vouches for, as PEM. */
public final class Certificates {
    private static final String PASSWORD = "changeit";

    private final KeyStore store;

    private Certificates(KeyStore store) {
        this.store = store;
    }

    /** One for {@code localhost} and one for a {@code client}. */
    static Certificates in(Path directory) throws IOException, InterruptedException {
        var file = directory.resolve("store.p12");
        keytool(file, "-alias", "authority", "-dname", "CN=authority", "-ext", "bc:c");
        keytool(
                file,
                "-alias",
                "localhost",
                "-signer",
                "authority",
                "-dname",
                "CN=localhost",
                "-ext",
                "SAN=dns:localhost");
        keytool(file, "-alias", "client", "-signer", "authority", "-dname", "CN=client");
        try {
            return new Certificates(KeyStore.getInstance(file.toFile(), PASSWORD.toCharArray()));
        } catch (GeneralSecurityException e) {
            throw new AssertionError(e);
        }
    }

    private static void keytool(Path file, String... arguments) throws IOException, InterruptedException {
        var command = new ArrayList<String>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
        command.addAll(List.of("-genkeypair", "-keyalg", "EC", "-validity", "30"));
        command.addAll(List.of(arguments));
        command.addAll(List.of("-storetype", "PKCS12", "-storepass", PASSWORD, "-keystore", file.toString()));
        var code = new ProcessBuilder(command).inheritIO().start().waitFor();
        if (code != 0) {
            throw new AssertionError("keytool ended with " + code);
        }
    }

    /** The certificate of the authority. */
    public String authority() {
        try {
            return pem("CERTIFICATE", store.getCertificate("authority").getEncoded());
        } catch (GeneralSecurityException e) {
            throw new AssertionError(e);
        }
    }

    /** A certificate and those that vouch for it. */
    public String chain(String alias) {
        try {
            var chain = new StringBuilder();
            for (var certificate : store.getCertificateChain(alias)) {
                chain.append(pem("CERTIFICATE", certificate.getEncoded()));
            }
            return chain.toString();
        } catch (GeneralSecurityException e) {
            throw new AssertionError(e);
        }
    }

    /** The key of a certificate. */
    public String key(String alias) {
        try {
            return pem(
                    "PRIVATE KEY", store.getKey(alias, PASSWORD.toCharArray()).getEncoded());
        } catch (GeneralSecurityException e) {
            throw new AssertionError(e);
        }
    }

    private static String pem(String what, byte[] bytes) {
        var text = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(bytes);
        return "-----BEGIN " + what + "-----\n" + text + "\n-----END " + what + "-----\n";
    }
}
