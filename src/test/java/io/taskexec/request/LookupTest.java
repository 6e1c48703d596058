package io.taskexec.request;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class LookupTest {
    @ParameterizedTest
    @EnumSource(
            value = ErrorCode.class,
            mode = EnumSource.Mode.MATCH_ALL,
            names = {".+_NOT_FOUND", "(?!CALLBACK|APPROVAL|DEPENDENCY).+"})
    void whatDoesNotExistIsNamed(ErrorCode code) {
        assertThat(Lookup.notFound(code, "x")).hasMessageMatching("[A-Z][A-Za-z ]+ 'x' does not exist\\.");
    }
}
