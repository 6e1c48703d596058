package io.taskexec.store.endpoint;

import static io.taskexec.testing.Rows.json;
import static io.taskexec.testing.TestDb.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.smallrye.mutiny.Uni;
import io.taskexec.model.endpoint.Endpoint;
import io.taskexec.model.queue.QueueDetails;
import io.taskexec.store.sql.Database;
import io.taskexec.store.sql.NameTakenException;
import io.taskexec.testing.ConnectionGate;
import io.taskexec.testing.Registrations;
import io.taskexec.testing.StoreTest;
import io.taskexec.testing.TestDb;
import jakarta.inject.Inject;
import java.util.Locale;
import java.util.Objects;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Writes of resources that are run again, since the answer to their commit was lost. */
@StoreTest(clearJobs = false)
class LostAnswersTest {
    private static final QueueDetails.Settings SETTINGS = new QueueDetails.Settings(1, null, null, null, null);

    @Inject
    private static TestDb db;

    private static ConnectionGate gate;
    private static Database database;

    /** The tables of the resources. */
    enum Kind {
        PAYLOAD_SPECS,
        CONFIGS,
        SECRETS,
        ENDPOINTS,
        QUEUES;

        /** Returns the version. */
        Uni<Integer> create(String name) {
            return switch (this) {
                case PAYLOAD_SPECS ->
                    new PayloadSpecStore(database).create(name, json("{}")).map(it -> it.version());
                case CONFIGS ->
                    new ConfigStore(database).create(name, json("{}")).map(it -> it.version());
                case SECRETS ->
                    new SecretStore(database).create(name, new byte[] {1}).map(it -> it.version());
                case ENDPOINTS ->
                    new EndpointStore(database).create(Registrations.of(name)).map(Endpoint::version);
                case QUEUES ->
                    new QueueSettingsStore(database).create(name, SETTINGS).map(QueueDetails::version);
            };
        }

        Uni<Boolean> update(String name) {
            return switch (this) {
                case PAYLOAD_SPECS ->
                    new PayloadSpecStore(database)
                            .update(name, json("{}"), Precondition.NONE)
                            .map(Objects::nonNull);
                case CONFIGS ->
                    new ConfigStore(database)
                            .update(name, json("{}"), Precondition.NONE)
                            .map(Objects::nonNull);
                case SECRETS ->
                    new SecretStore(database)
                            .update(name, new byte[] {2}, Precondition.NONE)
                            .map(Objects::nonNull);
                case ENDPOINTS ->
                    new EndpointStore(database)
                            .update(Registrations.of(name), Precondition.NONE)
                            .map(Objects::nonNull);
                case QUEUES ->
                    new QueueSettingsStore(database)
                            .put(name, SETTINGS, Precondition.NONE)
                            .map(Objects::nonNull);
            };
        }

        Uni<Boolean> delete(String name) {
            return switch (this) {
                case PAYLOAD_SPECS -> new PayloadSpecStore(database).delete(name, Precondition.NONE);
                case CONFIGS -> new ConfigStore(database).delete(name, Precondition.NONE);
                case SECRETS -> new SecretStore(database).delete(name, Precondition.NONE);
                case ENDPOINTS -> new EndpointStore(database).delete(name, Precondition.NONE);
                case QUEUES -> new QueueSettingsStore(database).delete(name, Precondition.NONE);
            };
        }

        long version(String name) {
            return db.number(
                    "SELECT version::bigint FROM " + name().toLowerCase(Locale.ROOT) + " WHERE name = $1", name);
        }
    }

    @BeforeAll
    static void open() {
        gate = db.gate();
        database = db.over(gate);
    }

    @AfterAll
    static void close() {
        gate.close();
    }

    @ParameterizedTest
    @EnumSource
    void whatWasCreatedIsNotTakenForThatOfAnother(Kind kind) {
        gate.lose("COMMIT");

        assertThat(await(kind.create("created"))).isEqualTo(1);

        assertThat(gate.hasLost()).isTrue();
        assertThatThrownBy(() -> await(kind.create("created"))).isInstanceOf(NameTakenException.class);
        assertThat(kind.version("created")).isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource
    void whatAnotherHasCreatedIsTaken(Kind kind) {
        var _ = await(kind.create("taken"));
        gate.lose("BEGIN");

        assertThatThrownBy(() -> await(kind.create("taken"))).isInstanceOf(NameTakenException.class);

        assertThat(gate.hasLost()).isTrue();
    }

    @ParameterizedTest
    @EnumSource
    void anUpdateMakesOneVersion(Kind kind) {
        var _ = await(kind.create("updated"));
        gate.lose("COMMIT");

        assertThat(await(kind.update("updated"))).isTrue();

        assertThat(gate.hasLost()).isTrue();
        assertThat(kind.version("updated")).isEqualTo(2);
    }

    @ParameterizedTest
    @EnumSource
    void whatWasDeletedWasThere(Kind kind) {
        var _ = await(kind.create("deleted"));
        gate.lose(kind == Kind.QUEUES ? "UPDATE 1" : "DELETE 1", "COMMIT");

        assertThat(await(kind.delete("deleted"))).isTrue();

        assertThat(gate.hasLost()).isTrue();
        assertThat(await(kind.delete("deleted"))).isFalse();
    }
}
