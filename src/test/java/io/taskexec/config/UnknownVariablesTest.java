package io.taskexec.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class UnknownVariablesTest {
    private static List<String> warnings(Set<String> names) {
        return UnknownVariables.warnings(names, KnownSettings.all());
    }

    @Test
    void aMisspeltNameIsToldWithTheOneThatWasMeant() {
        assertThat(warnings(Set.of("TE_WORKER_MAX_CONCURENT", "TE_DATABASE_URI", "TE_DATABASE_URL_FLIE")))
                .containsExactly(
                        "TE_DATABASE_URI is not a setting of taskexec; did you mean TE_DATABASE_URL?",
                        "TE_DATABASE_URL_FLIE is not a setting of taskexec; did you mean TE_DATABASE_URL_FILE?",
                        "TE_WORKER_MAX_CONCURENT is not a setting of taskexec; did you mean TE_WORKER_MAX_CONCURRENT?");
    }

    @Test
    void aFileForWhatIsNotReadFromFilesIsNoSetting() {
        assertThat(warnings(Set.of("TE_WORKER_LEASE_SEC_FILE")))
                .containsExactly(
                        "TE_WORKER_LEASE_SEC_FILE is not a setting of taskexec; did you mean TE_WORKER_LEASE_SEC?");
    }

    @Test
    void aNameThatIsLikeNoOtherIsOnlySaidToBeUnknown() {
        assertThat(warnings(Set.of("TE_COLOUR"))).containsExactly("TE_COLOUR is not a setting of taskexec.");
    }

    @Test
    void aNameOfTheFirstDesignIsToldWithTheReason() {
        assertThat(warnings(Set.of("TE_PROMOTE_INTERVAL_MS")))
                .containsExactly("TE_PROMOTE_INTERVAL_MS is set, but has no effect: delayed executions become due by"
                        + " themselves.");
    }

    @Test
    void settingsAndWhatIsNotOursAreNotTold() {
        assertThat(warnings(Set.of("TE_ROLES", "TE_API_KEY_FILE", "TE_TOKEN", "TERM", "KAFKA_SASL_MECHANISM", "PATH")))
                .isEmpty();
    }

    @Test
    void whatOthersKnowOfTracesAndThisProgramDoesNotIsTold() {
        assertThat(warnings(
                        Set.of("OTEL_EXPORTER_OTLP_INSECURE", "OTEL_EXPORTER_OTLP_HEADER", "OTEL_TRACES_SAMPLR_ARG")))
                .containsExactly(
                        "OTEL_EXPORTER_OTLP_HEADER is not a setting of taskexec; did you mean"
                                + " OTEL_EXPORTER_OTLP_HEADERS?",
                        "OTEL_EXPORTER_OTLP_INSECURE is not a setting of taskexec.",
                        "OTEL_TRACES_SAMPLR_ARG is not a setting of taskexec; did you mean OTEL_TRACES_SAMPLER_ARG?");
    }

    @Test
    void whatIsSaidToOthersAboutOtherSignalsIsNotTold() {
        assertThat(warnings(Set.of(
                        "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT",
                        "OTEL_EXPORTER_OTLP_LOGS_PROTOCOL",
                        "OTEL_METRICS_EXPORTER",
                        "OTEL_TRACES_EXPORTER",
                        "OTEL_PROPAGATORS")))
                .isEmpty();
    }
}
