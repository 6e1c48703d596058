package io.taskexec.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.restassured.response.Response;

/** Checks answers that are errors. */
final class ErrorAnswer {
    private ErrorAnswer() {}

    /** Checks an answer that is an error with this status and code. */
    static Response expectError(int status, String code, Response response) {
        assertThat(response.statusCode()).as(response.asString()).isEqualTo(status);
        assertThat(response.contentType()).startsWith("application/json");
        assertThat(response.<String>path("error.code")).isEqualTo(code);
        assertThat(response.<String>path("error.message")).isNotBlank().doesNotContain("Exception", "io.taskexec");
        assertThat(response.<String>path("error.request_id")).isNotBlank().isEqualTo(response.header("X-Request-Id"));
        return response;
    }
}
