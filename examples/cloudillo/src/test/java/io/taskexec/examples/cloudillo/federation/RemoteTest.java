package io.taskexec.examples.cloudillo.federation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.taskexec.client.worker.PermanentException;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RemoteTest {
    private static final String BOB = OtherInstance.IDENTITY;

    private final OtherInstance bob;
    private final Remote remote;

    @TempDir
    private Path folder;

    RemoteTest() throws IOException {
        bob = new OtherInstance();
        remote = bob.remote();
    }

    @AfterEach
    void close() {
        bob.close();
    }

    @ParameterizedTest
    @ValueSource(ints = {200, 202, 204})
    void deliveriesSucceed(int status) throws Exception {
        bob.answer("/api/inbox", status, new byte[0]);
        remote.deliver(BOB, "token");

        assertThat(bob.requests()).containsExactly("POST /api/inbox");
    }

    @ParameterizedTest
    @ValueSource(ints = {302, 400, 401, 403, 404, 410, 413, 422, 429})
    void refusalsAndRedirectsArePermanent(int status) {
        bob.answer("/api/inbox", status, "no".getBytes(StandardCharsets.UTF_8));

        assertThatThrownBy(() -> remote.deliver(BOB, "token"))
                .isInstanceOf(PermanentException.class)
                .hasMessage("bob.example has answered with %d.", status);
        assertThat(bob.requests()).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(ints = {500, 502, 503, 504})
    void failuresOfTheServerAreTriedAgain(int status) {
        bob.answer("/api/inbox", status, new byte[0]);

        assertThatThrownBy(() -> remote.deliver(BOB, "token")).isInstanceOf(IOException.class);
    }

    @Test
    void failuresOfTheNetworkAreTriedAgain() {
        bob.close();

        assertThatThrownBy(() -> remote.deliver(BOB, "token"))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("cannot be reached");
    }

    @Test
    void filesAreBounded() throws Exception {
        var file = Files.createFile(folder.resolve("file"));
        bob.answer("/api/files/f1~x", 200, new byte[100_000]);
        remote.fetch(BOB, "f1~x", file, 100_000);

        assertThat(file).hasSize(100_000);
        assertThatThrownBy(() -> remote.fetch(BOB, "f1~x", file, 99_999)).isInstanceOf(PermanentException.class);
        assertThatThrownBy(() -> remote.fetch(BOB, "f1~y", file, 99_999)).isInstanceOf(PermanentException.class);
    }

    @Test
    void keysAreReadAndBounded() throws Exception {
        var key = Jwk.generate().withoutPrivatePart();
        bob.answerKeys(key);

        assertThat(remote.keys(BOB)).containsExactly(key);
        bob.answer("/api/me/keys", 200, "{\"keys\":".getBytes(StandardCharsets.UTF_8));
        assertThatThrownBy(() -> remote.keys(BOB)).isInstanceOf(PermanentException.class);
        bob.answer("/api/me/keys", 200, "{}".getBytes(StandardCharsets.UTF_8));
        assertThatThrownBy(() -> remote.keys(BOB)).isInstanceOf(PermanentException.class);
        bob.answer("/api/me/keys", 200, "{\"keys\":[null]}".getBytes(StandardCharsets.UTF_8));
        assertThatThrownBy(() -> remote.keys(BOB)).isInstanceOf(PermanentException.class);
        bob.answer("/api/me/keys", 200, new byte[70_000]);
        assertThatThrownBy(() -> remote.keys(BOB)).isInstanceOf(PermanentException.class);
    }

    @Test
    void othersAreFoundByTheirDomains() {
        var hosts = new Hosts(Map.of(BOB, URI.create("http://127.0.0.1:9002")));

        assertThat(hosts.resolve("alice.example", "/api/inbox")).hasToString("https://cl-o.alice.example/api/inbox");
        assertThat(hosts.resolve(BOB, "/api/inbox")).hasToString("http://127.0.0.1:9002/api/inbox");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "localhost", "127.0.0.1", "a..b", "a.b/c", "a.b:80", "-a.example", "Alice.example", "a.b@c.d"
            })
    void otherTextsAreNoIdentities(String text) {
        assertThat(Hosts.isIdentity(text)).isFalse();
        assertThatThrownBy(() -> remote.deliver(text, "token")).isInstanceOf(PermanentException.class);
    }
}
