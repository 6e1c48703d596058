package io.taskexec.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.taskexec.command.ConfigReport;
import io.taskexec.config.Settings.Effective;
import io.taskexec.config.Settings.Origin;
import io.taskexec.secret.ApiKeys;
import io.taskexec.secret.KeyRing;
import io.taskexec.secret.KeyStrength;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StartupChecksTest {
    private final Map<String, String> given = new HashMap<>();

    /** Sets it as an option of the command line would. */
    private void set(String name, String value) {
        var property = KnownSettings.all().stream()
                .filter(setting -> setting.name().equals(name))
                .findFirst()
                .orElseThrow()
                .property();
        given.put(property, value);
    }

    private Settings read() {
        return Settings.read(given);
    }

    private Effective effective(String name) {
        return read().effective().stream()
                .filter(one -> one.setting().name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    private void check() {
        StartupChecks.checkValues(read());
    }

    @Test
    void theDefaultsGoTogetherAndNothingIsShownOfThem() {
        check();

        assertThat(IgnoredSettings.warnings(read())).isEmpty();
        assertThat(read().effective())
                .hasSameSizeAs(KnownSettings.all())
                .allSatisfy(one -> assertThat(one.origin()).isEqualTo(Origin.DEFAULT));
    }

    @Test
    void everyNumberHasBoundsThatItsDefaultIsWithin() {
        var numbers = KnownSettings.all().stream()
                .filter(setting -> setting.method().getReturnType().isPrimitive())
                .toList();

        assertThat(numbers).isNotEmpty().allSatisfy(setting -> {
            assertThat(setting.about().max()).as(setting.name()).isLessThan(Long.MAX_VALUE);
            assertThat(Long.parseLong(String.valueOf(setting.constant())))
                    .as(setting.name())
                    .isBetween(setting.about().min(), setting.about().max());
        });
    }

    @Test
    void aNumberBesideItsBoundsIsRefusedAndOneOnThemIsNot() {
        for (var setting : KnownSettings.all()) {
            if (setting.method().getReturnType() != int.class) {
                continue;
            }
            for (var wrong : List.of(setting.about().min() - 1, setting.about().max() + 1)) {
                var option = Map.of(setting.property(), String.valueOf(wrong));
                assertThatExceptionOfType(StartRefusedException.class)
                        .isThrownBy(() -> Settings.read(option))
                        .withMessage("%s must be from %d to %d, but is %d."
                                .formatted(
                                        setting.name(),
                                        setting.about().min(),
                                        setting.about().max(),
                                        wrong));
            }
            var greatest =
                    Map.of(setting.property(), String.valueOf(setting.about().max()));
            assertThat(Settings.read(greatest)).isNotNull();
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "TE_RETENTION_DAYS          | 6     | TE_IDEMPOTENCY_KEY_TTL_HOURS must not be longer than"
                        + " TE_RETENTION_DAYS, but 168 hours are longer than 6 days.",
                "TE_EVENTS_RETENTION_HOURS  | 721   | TE_EVENTS_RETENTION_HOURS must not be longer than"
                        + " TE_RETENTION_DAYS, but 721 hours are longer than 30 days.",
                "TE_DB_STATEMENT_TIMEOUT_MS | 15001 | TE_DB_STATEMENT_TIMEOUT_MS must not be longer than"
                        + " TE_WORKER_SILENCE_SEC, but 15001 ms are longer than 15 s.",
                "TE_MANAGEMENT_ADDR         | 127.0.0.1:8080 | TE_LISTEN_ADDR and TE_MANAGEMENT_ADDR must have"
                        + " different ports.",
                "TE_REGION_SILENCE_SEC      | 14    | TE_REGION_SILENCE_SEC must not be shorter than"
                        + " TE_WORKER_SILENCE_SEC, but 14 s are shorter than 15 s.",
                "TE_REGION                  | EU    | TE_REGION cannot be used: a region has 1 to 63 of a-z, 0-9 and"
                        + " '-' in its name, unlike 'EU'",
                "TE_EVENTS_KAFKA_TOPIC      | events | TE_EVENTS_KAFKA_TOPIC and TE_EVENTS_KAFKA_BOOTSTRAP_SERVERS"
                        + " must be given together.",
                "TE_JOBS_KAFKA_BOOTSTRAP_SERVERS | a:1 | TE_JOBS_KAFKA_TOPIC and TE_JOBS_KAFKA_BOOTSTRAP_SERVERS must"
                        + " be given together.",
                "TE_CLOUD_EVENTS_SOURCE     | a b   | TE_CLOUD_EVENTS_SOURCE cannot be used: Illegal character in path"
                        + " at index 1: a b",
            })
    void settingsThatDoNotGoTogetherAreRefused(String name, String value, String sentence) {
        set(name, value);

        assertThatExceptionOfType(StartRefusedException.class)
                .isThrownBy(this::check)
                .withMessage(sentence);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "fifteen-letters                  | it has 15 characters instead of at least 16",
                "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa | it has the same few characters over and over",
                "abababababababababababababababab | it has the same few characters over and over",
                "aaaaaaaaaaaabcde                 | one character makes up more than half of it",
                "1111111111112345                 | one character makes up more than half of it",
                "x7Qp2mRx7Qp2mRx7Qp2mR            | it is the same text over and over",
                "changeme-changeme-please         | it is made of well-known words",
                "my-very-secret-api-key-123456    | it is made of well-known words",
                "TASKEXEC_TEST_PASSWORD_1         | it is made of well-known words",
                "0123456789abcdef                 | it is made of well-known words",
                "qwertyuiopasdfghjkl              | it is made of well-known words",
            })
    void anApiKeyThatOthersCanGuessIsRefusedAndNotShown(String key, String reason) {
        set("TE_API_KEY", key);

        assertThatExceptionOfType(StartRefusedException.class)
                .isThrownBy(this::check)
                .withMessage("TE_API_KEY cannot be used: " + reason)
                .satisfies(refused -> assertThat(refused.getMessage()).doesNotContain(key));
    }

    @Test
    void keysOfAGeneratorAreTakenWhateverTheirAlphabet() {
        var random = new Random(1);
        for (var n = 0; n < 10_000; n++) {
            var bytes = new byte[n % 2 == 0 ? 12 : 32];
            random.nextBytes(bytes);
            KeyStrength.checkApiKey(HexFormat.of().formatHex(bytes));
            KeyStrength.checkApiKey(Base64.getEncoder().encodeToString(bytes));
            KeyStrength.checkApiKey(ApiKeys.generate());
        }
    }

    @ParameterizedTest
    @CsvSource({"TE_SECRET_ENCRYPTION_KEY, 0", "TE_SECRET_ENCRYPTION_KEY, 7"})
    void aKeyForSecretsThatIsAPlaceholderIsRefusedWhereItEncrypts(String name, byte value) {
        var bytes = new byte[32];
        Arrays.fill(bytes, value);
        var placeholder = Base64.getEncoder().encodeToString(bytes);
        set(name, "old:" + placeholder);

        assertThatExceptionOfType(StartRefusedException.class)
                .isThrownBy(this::check)
                .withMessage(name + " cannot be used: key 'old' of the key ring is the same byte over and over");

        // What it has encrypted must be read to be encrypted again.
        set(name, KeyRing.generate() + ",old:" + placeholder);
        check();
    }

    @Test
    void brokersAreHostsWithPorts() {
        set("TE_JOBS_KAFKA_TOPIC", "jobs");
        set("TE_JOBS_KAFKA_BOOTSTRAP_SERVERS", "a:1,nowhere");

        assertThatExceptionOfType(StartRefusedException.class)
                .isThrownBy(this::check)
                .withMessage("TE_JOBS_KAFKA_BOOTSTRAP_SERVERS must be host:port, or a list of such with commas, but is"
                        + " 'a:1,nowhere'.");
    }

    @Test
    void singleSignOnWithoutAnIssuerHasNoEffect() {
        set("TE_UI_OIDC_CLIENT_ID", "dashboard");

        assertThat(IgnoredSettings.warnings(read()))
                .containsExactly("TE_UI_OIDC_CLIENT_ID is set, but has no effect without TE_UI_OIDC_ISSUER.");
    }

    @Test
    void historyThatIsKeptForEverIsKeptLongEnough() {
        set("TE_RETENTION_DAYS", "0");
        set("TE_IDEMPOTENCY_KEY_TTL_HOURS", "876000");

        check();
    }

    @Test
    void eventsAreNotPublishedToTheTopicThatJobsComeFrom() {
        set("TE_EVENTS_ENABLED", "true");
        for (var kind : List.of("TE_EVENTS", "TE_JOBS")) {
            set(kind + "_KAFKA_TOPIC", "both");
            set(kind + "_KAFKA_BOOTSTRAP_SERVERS", "a:1");
        }
        assertThatExceptionOfType(StartRefusedException.class)
                .isThrownBy(this::check)
                .withMessage("TE_EVENTS_KAFKA_TOPIC must not be TE_JOBS_KAFKA_TOPIC: events would be read as jobs.");

        set("TE_EVENTS_KAFKA_BOOTSTRAP_SERVERS", "b:1");
        check();
    }

    @ParameterizedTest
    @CsvSource({
        "TE_HTTP_NO_PROXY, without TE_HTTP_PROXY",
        "TE_JOBS_KAFKA_GROUP, without TE_JOBS_KAFKA_TOPIC",
        "TE_JOBS_KAFKA_DEAD_LETTER_TOPIC, without TE_JOBS_KAFKA_TOPIC",
        "TE_EVENTS_MAX_STREAMS, without TE_EVENTS_ENABLED=true"
    })
    void whatDoesNothingWithoutAnotherIsTold(String name, String reason) {
        set(name, "7");

        assertThat(IgnoredSettings.warnings(read()))
                .containsExactly(name + " is set, but has no effect " + reason + ".");
    }

    @Test
    void breakersThatNeverOpenNeedNoMore() {
        set("TE_BREAKER_FAILURE_PERCENT", "0");
        set("TE_BREAKER_OPEN_SEC", "30");

        assertThat(IgnoredSettings.warnings(read()))
                .containsExactly("TE_BREAKER_OPEN_SEC is set, but has no effect with TE_BREAKER_FAILURE_PERCENT=0.");
    }

    @Test
    void aSamplerThatDecidesTheSameForAllHasNoRatio() {
        set("OTEL_TRACES_SAMPLER", "parentbased_always_off");
        set("OTEL_TRACES_SAMPLER_ARG", "1");

        assertThat(IgnoredSettings.warnings(read()))
                .containsExactly("OTEL_TRACES_SAMPLER_ARG is set, but has no effect with"
                        + " OTEL_TRACES_SAMPLER=parentbased_always_off.");
    }

    @Test
    void aSettingOfTracesThatCannotBeUsedCostsAWarningAndNotTheStart() {
        set("OTEL_EXPORTER_OTLP_ENDPOINT", "http://collector:4318");
        set("OTEL_EXPORTER_OTLP_PROTOCOL", "http/json");
        set("OTEL_TRACES_SAMPLER_ARG", "most");
        set("OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE", "/certificate.pem");

        StartupChecks.checkValues(read());

        assertThat(IgnoredSettings.warnings(read()))
                .containsExactly(
                        "OTEL_EXPORTER_OTLP_PROTOCOL is ignored: it must be http/protobuf or grpc.",
                        "OTEL_TRACES_SAMPLER_ARG is ignored: it must be from 0 to 1.",
                        "OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE is set, but has no effect without"
                                + " OTEL_EXPORTER_OTLP_CLIENT_KEY.");
    }

    @Test
    void ofSecretsNothingIsShownAndOfUrlsAllButTheirPasswords() {
        var key = "k1:" + Base64.getEncoder().encodeToString(new byte[32]);
        set("TE_SECRET_ENCRYPTION_KEY", key);
        set("TE_API_KEY", "swordfish");
        set("TE_DATABASE_URL", "postgresql://user:sword@fish@db:5432/x?sslmode=require&sslpassword=swordfish");
        set("TE_HTTP_PROXY", "http://user:swordfish@proxy:3128");
        set("OTEL_EXPORTER_OTLP_ENDPOINT", "http://user:swordfish@collector:4318");
        set("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "https://collector/v1/traces?token=swordfish");

        var shown = read().effective();

        assertThat(effective("TE_SECRET_ENCRYPTION_KEY").value()).isEqualTo("***");
        assertThat(effective("TE_API_KEY").value()).isEqualTo("***");
        assertThat(effective("TE_DATABASE_URL").value())
                .isEqualTo("postgresql://user:***@db:5432/x?sslmode=require&sslpassword=***");
        assertThat(effective("TE_HTTP_PROXY").value()).isEqualTo("http://user:***@proxy:3128");
        assertThat(effective("OTEL_EXPORTER_OTLP_ENDPOINT").value()).isEqualTo("http://user:***@collector:4318");
        assertThat(effective("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT").value())
                .isEqualTo("https://collector/v1/traces?token=***");
        for (var report : List.of(
                new ConfigReport(shown, true).table(),
                new ConfigReport(shown, true).json(),
                new ConfigReport(shown, true).yaml())) {
            assertThat(report).doesNotContain("fish", key).contains("TE_API_KEY", "option");
        }
    }

    @Test
    void wordsAreShownAsTheyAreDocumentedAndWhatIsMissingIsNot() {
        set("TE_EGRESS_MODE", "OPEN");

        assertThat(effective("TE_EGRESS_MODE").value()).isEqualTo("open");
        assertThat(effective("TE_EGRESS_MODE").origin()).isEqualTo(Origin.OPTION);
        assertThat(effective("TE_API_KEY").value()).isNull();
        assertThat(effective("TE_HTTP_USER_AGENT").value())
                .startsWith("taskexec/")
                .doesNotEndWith("dev");
        var lines = new ConfigReport(read().effective(), false).table().lines().toList();
        assertThat(lines.getFirst()).matches("NAME +VALUE +FROM");
        assertThat(lines).anyMatch(line -> line.matches("TE_API_KEY +- +default"));
        assertThat(lines).anyMatch(line -> line.matches("TE_EGRESS_MODE +open +option"));
        assertThat(lines).hasSize(KnownSettings.all().size() + 1);
    }

    @Test
    void theFormsForProgramsAreReadable() {
        var one = List.of(effective("TE_WORKER_MAX_CONCURRENT"));

        assertThat(new ConfigReport(one, false).json().strip())
                .isEqualTo("[{\"name\":\"TE_WORKER_MAX_CONCURRENT\",\"value\":\"50\",\"from\":\"default\"}]");
        assertThat(new ConfigReport(one, true).yaml())
                .isEqualTo("""
                - name: TE_WORKER_MAX_CONCURRENT
                  value: '50'
                  from: default
                  meaning: %s
                """.formatted(one.getFirst().setting().about().value()));
    }
}
