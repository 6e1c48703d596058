package io.taskexec.api.filter;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RequestTargetTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "/endpoints/mail/keys/..",
                "/endpoints/mail/keys/%2E%2E",
                "/endpoints/mail/keys/%2e.",
                "/endpoints/mail/keys/..?wait=PT1S",
                "/jobs/./x",
                "/jobs/%2e/x",
                "/..",
                "http://localhost/jobs/.."
            })
    void aSegmentOfDotsIsAStep(String uri) {
        assertThat(RequestTarget.hasStep(uri)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/",
                "/endpoints/mail/keys/...",
                "/endpoints/mail/keys/a..",
                "/endpoints/mail/keys/..a",
                "/configs/.b",
                "/configs/a%2E%2E",
                "/docs/..%2Fx",
                "/jobs?tag=/../",
                "/jobs?tag=.."
            })
    void dotsElsewhereAreNone(String uri) {
        assertThat(RequestTarget.hasStep(uri)).isFalse();
    }
}
