package io.taskexec.model.audit;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class KeyScopeTest {
    @ParameterizedTest
    @CsvSource({
        "READ,  READ,  true",
        "READ,  JOBS,  false",
        "READ,  ADMIN, false",
        "JOBS,  READ,  true",
        "JOBS,  JOBS,  true",
        "JOBS,  ADMIN, false",
        "ADMIN, READ,  true",
        "ADMIN, JOBS,  true",
        "ADMIN, ADMIN, true",
        "JOBS,  ADHOC, false",
        "ADHOC, ADHOC, true",
        "ADHOC, JOBS,  true",
        "ADHOC, ADMIN, false",
        "ADMIN, ADHOC, true"
    })
    void aScopeIncludesTheOnesBeforeIt(KeyScope has, KeyScope needed, boolean enough) {
        assertThat(has.includes(needed)).isEqualTo(enough);
    }
}
