package io.taskexec.store.job;

import static io.taskexec.testing.Rows.ENDPOINT;
import static io.taskexec.testing.TestDb.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.model.job.Job;
import io.taskexec.model.job.JobStatus;
import io.taskexec.store.job.JobStore.Filter;
import io.taskexec.testing.Rows;
import io.taskexec.testing.StoreTest;
import io.taskexec.testing.TestDb;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@StoreTest
class JobListTest {
    @Inject
    private static TestDb db;

    @Inject
    private static Rows rows;

    private JobStore jobs;
    private UUID ended;
    private UUID tagged;
    private UUID live;

    @BeforeEach
    void fill() {
        jobs = new JobStore(db.database());
        rows.clearJobs();
        db.execute("DELETE FROM job_tags");
        if (db.number("SELECT count(*) FROM endpoints WHERE name = $1", ENDPOINT) == 0) {
            rows.endpoint(ENDPOINT).insert();
            rows.endpoint("other").insert();
        }
        ended = rows.finished().createdAgo(Duration.ofMinutes(3)).insert();
        tagged = rows.finished().createdAgo(Duration.ofMinutes(2)).insert();
        live = rows.live().endpoint("other").insert();
        db.execute("INSERT INTO job_tags VALUES ('mail', $1), ('mail', $2)", tagged, live);
    }

    private static Filter filter(
            @Nullable String endpoint, @Nullable String tag, @Nullable String trigger, @Nullable JobStatus status) {
        return new Filter(endpoint, null, tag, trigger, status, null, null);
    }

    private List<UUID> found(Filter filter) {
        return await(jobs.list(filter, 100, null)).items().stream().map(Job::id).toList();
    }

    @Test
    void eachFilterHasAnIndexAndTheOthersNarrowItDown() {
        assertThat(found(Filter.NONE)).containsExactly(live, tagged, ended);
        assertThat(found(filter(ENDPOINT, null, null, null))).containsExactly(tagged, ended);
        assertThat(found(filter(null, "mail", null, null))).containsExactly(live, tagged);
        assertThat(found(filter(ENDPOINT, "mail", null, null))).containsExactly(tagged);
        assertThat(found(filter(null, null, "IMMEDIATE", null))).containsExactly(live, tagged, ended);
        assertThat(found(filter(null, null, "CRON", null))).isEmpty();
        assertThat(found(filter(null, null, null, JobStatus.ACTIVE))).containsExactly(live);
        assertThat(found(filter(null, "mail", null, JobStatus.ACTIVE))).containsExactly(live);
        assertThat(found(filter(ENDPOINT, null, null, JobStatus.ACTIVE))).isEmpty();
        assertThat(found(filter(null, null, null, JobStatus.RETIRED))).containsExactly(tagged, ended);
        assertThat(found(filter(null, "mail", null, JobStatus.RETIRED))).containsExactly(tagged);
        assertThat(found(new Filter(null, "default", null, null, null, null, null)))
                .containsExactly(live, tagged, ended);
        assertThat(found(new Filter(null, "none", null, null, null, null, null)))
                .isEmpty();
    }

    @Test
    void aPageThatIsNotFullSaysHowFarWasLookedAt() {
        var wanted = filter(null, null, null, JobStatus.RETIRED);
        var found = new ArrayList<UUID>();
        var pages = 0;
        UUID after = null;
        do {
            var page = await(jobs.newest(wanted, 100, after, 1));
            page.items().forEach(job -> found.add(job.id()));
            after = page.next();
            pages++;
        } while (after != null);

        assertThat(found).containsExactly(tagged, ended);
        assertThat(pages).isEqualTo(4);
    }
}
