package io.taskexec.scheduler;

import static io.taskexec.testing.TestDb.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.model.job.ExecutionEvent;
import io.taskexec.store.event.EventCursorStore;
import io.taskexec.store.event.EventStore;
import io.taskexec.testing.EventsOn;
import io.taskexec.testing.TestFiles;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.UUID;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Runs what docs/operations.md says to run in a restored database. */
class RestoreTest {
    private static final Pattern STATEMENTS = Pattern.compile("\n## Restore\n.*?```sql\n(.*?)```", Pattern.DOTALL);
    private static final Pattern NOT_FOR_THE_SERVER = Pattern.compile("^(--|\\\\).*\n", Pattern.MULTILINE);

    @RegisterExtension
    private static final ScheduleBed bed = new ScheduleBed();

    private static void run(Instant lost) {
        var page = STATEMENTS.matcher(TestFiles.text(Path.of("docs/operations.md")));
        assertThat(page.find()).isTrue();
        var statements = NOT_FOR_THE_SERVER
                .matcher(page.group(1))
                .replaceAll("")
                .replace(":'lost'", "'" + lost + "'")
                .strip();
        assertThat(statements).endsWith(";");
        for (var statement : statements.split(";\n", -1)) {
            var _ = bed.db.execute(statement.replaceFirst(";$", ""));
        }
    }

    @Test
    void ticksThatWereFiredBeforeTheLossAreNotFiredAgainAndLaterOnesAre() {
        // Half an hour before now, so that no tick comes meanwhile.
        var last = Instant.now().minus(Duration.ofMinutes(30)).truncatedTo(ChronoUnit.MINUTES);
        var hourly = last.atOffset(ZoneOffset.UTC).getMinute() + " * * * *";
        var late = bed.cron(hourly, "UTC").due(last.minus(Duration.ofHours(5)));
        var inTime = bed.cron(hourly, "UTC").due(last);

        run(last.minus(Duration.ofMinutes(90)));
        bed.runUntilNothingIsDue();

        assertThat(bed.outcomes(late))
                .containsExactly(
                        "SKIPPED_PAUSED", "SKIPPED_PAUSED", "SKIPPED_PAUSED", "SKIPPED_PAUSED", "FIRED", "FIRED");
        assertThat(bed.live(late)).containsExactly(last.minus(Duration.ofHours(1)), last);
        assertThat(bed.outcomes(inTime)).containsExactly("FIRED");
    }

    @Test
    void followersOfEventsReadTheStateAgainAndTheTopicGoesOn() {
        var store = new EventStore(bed.db.database(), new EventsOn());
        var _ = bed.db.execute("UPDATE event_positions SET position = 40 WHERE name = 'log'");
        var _ = bed.db.execute("INSERT INTO event_positions (name, position) VALUES ('kafka:events', 30)");
        var seen = 100_000L;

        run(Instant.now());

        var extent = await(store.extent());
        // Then a follower that has seen it gets 410.
        assertThat(seen).isLessThan(extent.removed());
        assertThat(extent.removed()).isEqualTo(extent.last());
        var _ = bed.db.execute(
                "INSERT INTO event_outbox (execution_id, job_id, kind, attempt) VALUES ($1, $1, 'STARTED', 1)",
                UUID.randomUUID());
        var place = await(new EventCursorStore(bed.db.database())
                .hold("kafka:events", UUID.randomUUID(), Duration.ofSeconds(30)));
        assertThat(place).isEqualTo(extent.last());
        assertThat(await(store.follow(extent.last(), 10)))
                .extracting(ExecutionEvent::position)
                .containsExactly(extent.last() + 1);
    }
}
