package io.taskexec;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import org.junit.jupiter.api.Test;

class StrayNamesTest {
    @Test
    void aMisspeltNameIsToldWithTheOneThatWasMeant() {
        assertThat(StrayNames.warnings(Set.of("TE_WORKER_MAX_CONCURENT", "TE_DATABASE_URI", "TE_DATABASE_URL_FLIE")))
                .containsExactly(
                        "TE_DATABASE_URI is not a setting of taskexec; did you mean TE_DATABASE_URL?",
                        "TE_DATABASE_URL_FLIE is not a setting of taskexec; did you mean TE_DATABASE_URL_FILE?",
                        "TE_WORKER_MAX_CONCURENT is not a setting of taskexec; did you mean TE_WORKER_MAX_CONCURRENT?");
    }

    @Test
    void aFileForWhatIsNotReadFromFilesIsNoSetting() {
        assertThat(StrayNames.warnings(Set.of("TE_WORKER_LEASE_SEC_FILE")))
                .containsExactly(
                        "TE_WORKER_LEASE_SEC_FILE is not a setting of taskexec; did you mean TE_WORKER_LEASE_SEC?");
    }

    @Test
    void aNameThatIsLikeNoOtherIsOnlySaidToBeUnknown() {
        assertThat(StrayNames.warnings(Set.of("TE_COLOUR"))).containsExactly("TE_COLOUR is not a setting of taskexec.");
    }

    @Test
    void aNameOfTheFirstDesignIsToldWithTheReason() {
        assertThat(StrayNames.warnings(Set.of("TE_PROMOTE_INTERVAL_MS")))
                .containsExactly("TE_PROMOTE_INTERVAL_MS is set, but has no effect: delayed executions become due by"
                        + " themselves.");
    }

    @Test
    void settingsAndWhatIsNotOursAreNotTold() {
        assertThat(StrayNames.warnings(
                        Set.of("TE_ROLES", "TE_API_KEY_FILE", "TE_TOKEN", "TERM", "KAFKA_SASL_MECHANISM", "PATH")))
                .isEmpty();
    }
}
