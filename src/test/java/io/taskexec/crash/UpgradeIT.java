package io.taskexec.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.testing.Api;
import io.taskexec.testing.Eventually;
import io.taskexec.testing.NotForBinaries;
import io.taskexec.testing.Program;
import io.taskexec.testing.Receiver;
import io.taskexec.testing.ServerDb;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** Processes of two versions on one database. */
class UpgradeIT {
    private static final int JOBS = 200;
    private static final int REFUSED = 2;
    private static final Duration BOUND = Duration.ofSeconds(60);

    private static Program previous(Program.Setup setup) throws InterruptedException {
        var current = System.getProperty("taskexec.jar");
        System.setProperty("taskexec.jar", System.getProperty("taskexec.previous"));
        try {
            return setup.startReady();
        } finally {
            System.setProperty("taskexec.jar", current);
        }
    }

    private static void create(Api api, String prefix) {
        for (var i = 0; i < JOBS; i++) {
            var _ = api.immediate("target", prefix + i);
        }
    }

    @Test
    void aProgramStartsOnASchemaThatANewerOneHasMade() throws InterruptedException {
        var database = ServerDb.fresh(Ahead.class);
        var setup = Program.serving(database);
        assertThat(setup.arguments("migrate").run().awaitExit()).isZero();
        database.pretendNewerSchema();

        for (var atStart : List.of("true", "false")) {
            try (var program = setup.with("TE_MIGRATE_AT_START", atStart).startReady()) {
                assertThat(program.api().get("/jobs").statusCode()).isEqualTo(200);
                assertThat(program.errors()).isEmpty();
            }
        }
    }

    @Test
    void aSchemaOfADevelopmentVersionIsRefusedWithWhatToDo() throws InterruptedException {
        var database = ServerDb.fresh(Development.class);
        var setup = Program.serving(database);
        assertThat(setup.arguments("migrate").run().awaitExit()).isZero();
        database.pretendDevelopmentSchema();

        for (var command : List.of("migrate", "serve", "check")) {
            var program = setup.arguments(command).run();
            assertThat(program.awaitExit()).as(program.output()).isEqualTo(REFUSED);
            assertThat(program.err().strip().lines())
                    .singleElement()
                    .asString()
                    .contains("development version of taskexec", "use an empty database");
        }
    }

    /** Names a database. */
    private static final class Ahead {}

    /** Names a database. */
    private static final class Development {}

    /** Those of the version before are replaced one by one while jobs come in. */
    @Test
    @NotForBinaries("the program before is a jar")
    @EnabledIfSystemProperty(
            named = "taskexec.previous",
            matches = ".+",
            disabledReason = "It needs the program before.")
    void nothingIsLostWhileOneVersionTakesThePlaceOfTheOther() throws InterruptedException {
        var database = ServerDb.fresh(UpgradeIT.class);
        var setup = Program.serving(database);
        try (var receiver = new Receiver();
                var oldOne = previous(setup);
                var oldOther = previous(setup)) {
            oldOne.api().endpoint("target", receiver.uri("/"), Map.of("max_attempts", 3));
            create(oldOne.api(), "before-");

            var migrated = setup.arguments("migrate").run();
            assertThat(migrated.awaitExit()).as(migrated.output()).isZero();
            create(oldOther.api(), "between-");

            try (var newOne = setup.startReady()) {
                oldOne.terminate();
                create(newOne.api(), "together-new-");
                create(oldOther.api(), "together-old-");
                assertThat(oldOne.awaitExit()).isIn(0, Program.SIGTERM);

                // Back again, on the newer schema.
                try (var again = previous(setup)) {
                    create(again.api(), "again-");
                }
                oldOther.terminate();
                create(newOne.api(), "after-");
                assertThat(oldOther.awaitExit()).isIn(0, Program.SIGTERM);

                Eventually.await(
                        "all have ended",
                        BOUND,
                        () -> database.number("SELECT count(*) FROM executions WHERE status = 'SUCCESS'"),
                        count -> count == 6 * JOBS);
                assertThat(receiver.requests()).hasSize(6 * JOBS);
            }
            var check = setup.arguments("check").run();
            assertThat(check.awaitExit()).as(check.output()).isZero();
        }
    }
}
