package io.taskexec.dispatch.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.model.delivery.HttpCall;
import io.taskexec.model.delivery.Outcome;
import io.taskexec.model.job.Failure;
import io.taskexec.model.wait.Completion;
import io.taskexec.model.wait.DeferralMode;
import io.taskexec.model.wait.DeferralTerms;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DeferHeaderTest {
    private static final Set<DeferralMode> BOTH = Set.of(DeferralMode.CALLBACK, DeferralMode.POLL);
    private static final URI CALLED = URI.create("https://exports.example/start?of=1");

    private static HttpTestBed bed;

    @BeforeAll
    static void open() {
        bed = new HttpTestBed();
    }

    @AfterAll
    static void close() {
        bed.close();
    }

    private static Completion completion(Set<DeferralMode> modes) {
        return new Completion(
                modes, Duration.ofHours(1), false, null, List.of("https://status.example:8443"), null, null);
    }

    private static Outcome read(String header, @Nullable String location, Set<DeferralMode> modes) {
        return DeferHeader.read(header, location, HttpTestBed.get(CALLED), completion(modes));
    }

    private static DeferralTerms accepted(Outcome outcome) {
        assertThat(outcome).isInstanceOf(Outcome.Deferred.class);
        return ((Outcome.Deferred) outcome).terms();
    }

    private static void assertRefused(Outcome outcome, String message) {
        assertThat(outcome).isInstanceOfSatisfying(Outcome.PermanentFailure.class, refused -> {
            assertThat(refused.failure().type()).isEqualTo(Failure.Type.INVALID_DEFERRAL);
            assertThat(refused.failure().message()).contains(message);
        });
    }

    @Test
    void aCallbackHasTheTimeoutOfItsEndpointUnlessItNamesAShorterOne() {
        assertThat(accepted(read("callback", null, BOTH)).timeout()).isEqualTo(Duration.ofHours(1));
        assertThat(accepted(read(" callback ; timeout=60 ", null, BOTH)).timeout())
                .isEqualTo(Duration.ofMinutes(1));
    }

    @ParameterizedTest
    @CsvSource({
        "/exports/42,                      https://exports.example/exports/42",
        "?of=2,                            https://exports.example/start?of=2",
        "https://exports.example:443/x,    https://exports.example:443/x",
        "//exports.example/x,              https://exports.example/x",
        "https://status.example:8443/x,    https://status.example:8443/x"
    })
    void aPollGoesToTheLocationAsABrowserWouldReadIt(String location, String polled) {
        var terms = accepted(read("poll; every=5; timeout=60", location, BOTH));

        assertThat(terms.pollUrl()).isEqualTo(URI.create(polled));
        assertThat(terms.every()).isEqualTo(Duration.ofSeconds(5));
    }

    @ParameterizedTest
    @CsvSource({
        "http://exports.example/x,         another origin",
        "https://exports.example:444/x,    another origin",
        "https://status.example/x,         another origin",
        "https://me@exports.example/x,     has a user",
        "https://me:pw@exports.example/x,  has a user",
        "//me:pw@exports.example/x,        has a user",
        "https://me:pw@my_service/x,       no URL",
        "file:///etc/passwd,               L",
        "' ',                              no Location"
    })
    void aLocationThatMayNotBePolledIsRefused(String location, String message) {
        assertRefused(read("poll", location, BOTH), message);
    }

    @Test
    void aModeThatTheEndpointDoesNotHaveIsRefused() {
        assertRefused(
                read("callback", null, Set.of(DeferralMode.POLL)),
                "has the mode 'callback', which its endpoint does not have");
        assertRefused(
                read("poll", "/status", Set.of(DeferralMode.CALLBACK)),
                "has the mode 'poll', which its endpoint does not have");
    }

    /** It is not clear which one counts. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "callback            | callback",
                "callback            | poll",
                "callback; timeout=5 | callback; timeout=6",
                "callback; timeout=5 | timeout=6"
            })
    void aHeaderThatComesTwiceIsRefused(String one, String other) {
        var uri = bed.serve(socket -> bed.answer(
                socket,
                "HTTP/1.1 202 Accepted\r\nTaskexec-Defer: %s\r\nTaskexec-Defer: %s\r\nContent-Length: 0\r\n\r\n"
                        .formatted(one, other)));

        assertRefused(bed.dispatch(HttpTestBed.get(uri).deferrable(completion(BOTH))), "Taskexec-Defer");
    }

    @Test
    void withoutTermsOfItsEndpointTheHeaderSaysNothing() {
        var uri = bed.serve(socket ->
                bed.answer(socket, "HTTP/1.1 202 Accepted\r\nTaskexec-Defer: callback\r\nContent-Length: 0\r\n\r\n"));
        HttpCall call = HttpTestBed.get(uri);

        assertThat(bed.dispatch(call)).isInstanceOf(Outcome.Succeeded.class);
    }
}
