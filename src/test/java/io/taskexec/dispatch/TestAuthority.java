package io.taskexec.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.net.PfxOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** An authority of a test, and a certificate for localhost that it has signed. */
final class TestAuthority {
    private static final String PASSWORD = "changeit";

    private final Path store;
    private final Path authority;

    private TestAuthority(Path directory) {
        store = directory.resolve("store.p12");
        authority = directory.resolve("authority.pem");
    }

    static TestAuthority in(Path directory) throws IOException, InterruptedException {
        var made = new TestAuthority(directory);
        made.keytool("-genkeypair", "-keyalg", "EC", "-alias", "authority", "-dname", "CN=authority", "-ext", "bc:c");
        made.keytool("-exportcert", "-rfc", "-alias", "authority", "-file", made.authority.toString());
        var localhost = List.of("-dname", "CN=localhost", "-ext", "SAN=dns:localhost", "-signer", "authority");
        var words = new ArrayList<>(List.of("-genkeypair", "-keyalg", "EC", "-alias", "localhost"));
        words.addAll(localhost);
        made.keytool(words.toArray(String[]::new));
        return made;
    }

    /** Its own certificate. */
    String pem() throws IOException {
        return Files.readString(authority);
    }

    /** What a server needs to be localhost. */
    PfxOptions localhost() {
        return new PfxOptions().setPath(store.toString()).setPassword(PASSWORD).setAlias("localhost");
    }

    private void keytool(String... arguments) throws IOException, InterruptedException {
        var command = new ArrayList<String>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
        command.addAll(List.of(arguments));
        command.addAll(List.of("-storetype", "PKCS12", "-storepass", PASSWORD, "-keystore", store.toString()));
        assertThat(new ProcessBuilder(command).inheritIO().start().waitFor()).isZero();
    }
}
