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
                "http://localhost/jobs/..",
                "/endpoints/mail/keys/order;7",
                "/secrets/token;v=2?dry_run=true",
                "/endpoints/mail/keys//order",
                "/endpoints/mail/keys/order/",
                "/endpoints/mail/keys/order/?force=true",
                "http://localhost//jobs"
            })
    void aPathOfWhichTheRouterLeavesOutAPartMayNameAnotherResource(String uri) {
        assertThat(RequestTarget.mayNameAnother(uri)).isTrue();
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
                "/endpoints/mail/keys/order%3B7",
                "/endpoints/mail/keys/%2Forder%2F",
                "/jobs/",
                "/keys/",
                "/jobs?tag=a;b//c/",
                "http://localhost/jobs",
                "https://localhost/endpoints/mail/keys/order",
                "/jobs?tag=.."
            })
    void aPathThatIsTakenAsItIsNamesOneResource(String uri) {
        assertThat(RequestTarget.mayNameAnother(uri)).isFalse();
    }
}
