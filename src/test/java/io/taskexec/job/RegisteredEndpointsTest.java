package io.taskexec.job;

import static io.taskexec.testing.TestDb.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.smallrye.mutiny.Uni;
import io.taskexec.job.RegisteredEndpoints.Registered;
import io.taskexec.request.ApiException;
import io.taskexec.request.ErrorCode;
import java.util.ArrayList;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Caches endpoints of a real database. */
class RegisteredEndpointsTest {
    private JobBed bed;

    @BeforeEach
    void open() {
        bed = new JobBed();
    }

    @AfterEach
    void close() {
        bed.close();
    }

    private Registered current(String name) {
        return await(
                bed.endpoints.withCurrent(name, false, found -> Uni.createFrom().item(found)));
    }

    @Test
    void anEndpointIsReadOnceForManyRequests() {
        bed.checkedEndpoint("checked");

        var all = await(Uni.join()
                .all(IntStream.range(0, 10)
                        .mapToObj(_ -> bed.endpoints.withCurrent(
                                "checked", false, found -> Uni.createFrom().item(found)))
                        .toList())
                .andFailFast());

        assertThat(all.stream().distinct()).hasSize(1);
        assertThat(all.getFirst().payloadSpecVersion()).isEqualTo(1);
        assertThat(all.getFirst().schema()).isNotNull();
    }

    @Test
    void anEndpointThatWasFoundStaleIsReadAgain() {
        var seen = new ArrayList<Integer>();
        assertThat(current(JobBed.ENDPOINT).version()).isEqualTo(1);
        newVersion();

        var version = await(bed.endpoints.withCurrent(JobBed.ENDPOINT, false, found -> {
            seen.add(found.version());
            return found.version() == 2
                    ? Uni.createFrom().item(found.version())
                    : Uni.createFrom().nullItem();
        }));

        assertThat(version).isEqualTo(2);
        assertThat(seen).containsExactly(1, 2);
    }

    private void newVersion() {
        var _ = bed.db.execute("INSERT INTO endpoint_versions"
                + " SELECT (jsonb_populate_record(e, '{\"version\": 2}')).* FROM endpoint_versions e");
        var _ = bed.db.execute("UPDATE endpoints SET version = 2");
    }

    @Test
    void anEndpointThatKeepsChangingIsAConflict() {
        var tries = new ArrayList<Integer>();

        var refusal = catchThrowableOfType(
                ApiException.class,
                () -> await(bed.endpoints.<Integer>withCurrent(JobBed.ENDPOINT, false, found -> {
                    tries.add(found.version());
                    return Uni.createFrom().nullItem();
                })));

        assertThat(refusal.code()).isEqualTo(ErrorCode.CONFLICT);
        assertThat(tries).hasSize(5);
    }

    @Test
    void anEndpointThatIsMissingIsAskedForAgainTheNextTime() {
        var refusal = catchThrowableOfType(ApiException.class, () -> current("later"));
        assertThat(refusal.code()).isEqualTo(ErrorCode.ENDPOINT_NOT_FOUND);

        bed.rows.endpoint("later").insert();

        assertThat(current("later").name()).isEqualTo("later");
    }
}
