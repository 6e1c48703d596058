package io.taskexec.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.testing.Api;
import io.taskexec.testing.Program;
import io.taskexec.testing.Receiver;
import io.taskexec.testing.ServerDb;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The rotation of the key for secrets, as docs/configuration.md says it. */
class SecretsRekeyIT {
    private static final int UNREADABLE = 1;
    private static final int REFUSED = 2;
    private static final String OLD = Program.SECRET_KEY;
    private static final String NEW = "k2:ICEiIyQlJicoKSorLC0uLzAxMjM0NTY3ODk6Ozw9Pj8=";
    private static final String OTHER = "k3:QEFCQ0RFRkdISUpLTE1OT1BRUlNUVVZXWFlaW1xdXl8=";

    private static final ServerDb database = ServerDb.fresh(SecretsRekeyIT.class);
    private static final Program.Setup setup = Program.serving(database);
    private static final Receiver receiver = new Receiver();

    @AfterAll
    static void close() {
        receiver.close();
    }

    @BeforeEach
    void forget() {
        receiver.clear();
    }

    private static Program.Setup with(String keys) {
        return setup.with("TE_SECRET_ENCRYPTION_KEY", keys);
    }

    private static Program rekey(String keys) throws InterruptedException {
        return with(keys).arguments("secrets", "rekey").run();
    }

    private static void checkDelivers(Api api, String key) throws InterruptedException {
        var ended = api.ended(api.immediate("target", key));
        assertThat(ended.getString("status")).as(ended.prettify()).isEqualTo("SUCCESS");
        assertThat(receiver.requests())
                .last()
                .satisfies(
                        request -> assertThat(request.header("authorization")).isEqualTo("Bearer t0ken-5"));
    }

    private static List<String> rows() {
        return database.texts("SELECT concat_ws(' ', name, version, updated_at) FROM secrets ORDER BY name");
    }

    @Test
    void aKeyIsRotatedWhileServersDeliver() throws InterruptedException {
        try (var before = with(OLD).startReady()) {
            for (var i = 0; i < 110; i++) {
                before.api().secret("s" + i, "value " + i);
            }
            before.api().secret("token", "t0ken-5");
            var _ = before.api()
                    .create(
                            "/endpoints",
                            Map.of(
                                    "name",
                                    "target",
                                    "type",
                                    "HTTP",
                                    "spec",
                                    Map.of(
                                            "url",
                                            receiver.uri("/").toString(),
                                            "method",
                                            "POST",
                                            "headers",
                                            Map.of("Authorization", "Bearer {{secret.token}}"))));
            checkDelivers(before.api(), "before");
        }
        var rows = rows();
        var unreadable = rekey(OTHER);
        assertThat(unreadable.awaitExit()).as(unreadable.output()).isEqualTo(UNREADABLE);
        assertThat(unreadable.out())
                .contains("secret 'token' cannot be read: it was encrypted with key 'k1'")
                .endsWith("111 cannot be read, and stay as they are.\n");

        try (var meanwhile = with(NEW + "," + OLD).startReady()) {
            checkDelivers(meanwhile.api(), "cached");
            var all = rekey(NEW + "," + OLD);
            assertThat(all.awaitExit()).as(all.output()).isZero();
            assertThat(all.out()).isEqualTo("111 secrets were encrypted with key 'k2', 0 already were.\n");
            assertThat(rows()).isEqualTo(rows);
            checkDelivers(meanwhile.api(), "meanwhile");
            var again = rekey(NEW + "," + OLD);
            assertThat(again.awaitExit()).isZero();
            assertThat(again.out()).isEqualTo("0 secrets were encrypted with key 'k2', 111 already were.\n");
        }

        try (var after = with(NEW).startReady()) {
            checkDelivers(after.api(), "after");
        }
    }

    @Test
    void withoutAKeyNothingIsDone() throws InterruptedException {
        assertThat(setup.arguments("migrate").run().awaitExit()).isZero();
        for (var keys : List.of("", "nonsense", "k1:" + "A".repeat(43) + "=")) {
            var refused = rekey(keys);

            assertThat(refused.awaitExit()).as(refused.output()).isEqualTo(REFUSED);
            assertThat(refused.err()).contains("TE_SECRET_ENCRYPTION_KEY");
        }
    }
}
