package io.taskexec.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.taskexec.schema.CheckBudget;
import io.taskexec.schema.InputSchema;
import io.taskexec.secret.KeyRing;
import io.taskexec.secret.KeyStrength;
import io.taskexec.testing.TestFiles;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map.Entry;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class ComposeTest {
    private static final JsonNode FILE = DeployFiles.yaml(DeployFiles.COMPOSE).getFirst();
    private static final JsonNode SERVICES = FILE.path("services");
    private static final Pattern VARIABLE = Pattern.compile("\\$\\{([A-Z_]+):");
    private static final Pattern ENDING = Pattern.compile("migrate|\\S+/kafka-topics.sh .*--create --if-not-exists .*");
    private static final Path ENVIRONMENT = DeployFiles.DEPLOY.resolve("compose-env.sh");

    @Test
    void itKeepsToTheSchema() {
        var schema = DeployFiles.json(TestFiles.text(Path.of("src/test/resources/deploy/compose-schema.json")));

        var budget = CheckBudget.of(CheckBudget.MOST_STEPS, Duration.ofSeconds(20));

        assertThat(InputSchema.compileNew(schema, budget).validate(FILE, budget))
                .isEmpty();
    }

    /** A tag can be moved to something else; a digest cannot. */
    @Test
    void everyImageOfOthersIsPinned() {
        SERVICES.forEach(service -> {
            var image = service.path("image").asText();
            if (!service.has("build")) {
                assertThat(Images.isPinned(image) || Images.isNotYetPinned(image))
                        .as(image)
                        .isTrue();
            }
        });
    }

    @Test
    void everythingOfTheWayToProductionIsThere() {
        assertThat(SERVICES.properties())
                .extracting(Entry::getKey)
                .contains(
                        "postgresql", "kafka", "redis", "cockroachdb", "prometheus", "grafana", "taskexec", "migrate");
        assertThat(DeployFiles.texts(SERVICES.at("/cockroachdb/profiles"))).containsExactly("cockroachdb");
    }

    /** Of a service that is waited for in vain, nothing is ever told. */
    @Test
    void whatIsWaitedForIsThereAndComes() {
        SERVICES.properties()
                .forEach(service -> service.getValue()
                        .path("depends_on")
                        .properties()
                        .forEach(dependency -> {
                            var other = SERVICES.path(dependency.getKey());
                            assertThat(other.isMissingNode())
                                    .as(dependency.getKey())
                                    .isFalse();
                            switch (dependency.getValue().path("condition").asText()) {
                                case "service_healthy" ->
                                    assertThat(other.at("/healthcheck/test")).isNotEmpty();
                                case "service_completed_successfully" ->
                                    assertThat(words(other)).matches(ENDING);
                                default -> throw new AssertionError("unknown condition of " + dependency);
                            }
                            // What a profile leaves out cannot be waited for without it.
                            assertThat(DeployFiles.texts(service.getValue().path("profiles")))
                                    .containsAll(DeployFiles.texts(other.path("profiles")));
                        }));
    }

    private static String words(JsonNode service) {
        return Stream.of("entrypoint", "command")
                .flatMap(name -> DeployFiles.texts(service.path(name)).stream())
                .collect(Collectors.joining(" "));
    }

    /** The broker makes no topic that is only read. */
    @Test
    void theTopicOfJobsIsThereBeforeItIsRead() {
        var topic = SERVICES.at("/taskexec/environment/TE_JOBS_KAFKA_TOPIC").asText();

        assertThat(words(SERVICES.path("kafka-topics"))).endsWith("--topic " + topic);
        assertThat(SERVICES.at("/taskexec/depends_on").has("kafka-topics")).isTrue();
    }

    @Test
    void everyVolumeIsThere() {
        SERVICES.forEach(service -> DeployFiles.texts(service.path("volumes")).forEach(volume -> {
            var source = volume.substring(0, volume.indexOf(':'));
            assertThat(
                            source.startsWith("./")
                                    ? Files.exists(Path.of(source))
                                    : FILE.path("volumes").has(source))
                    .as(source)
                    .isTrue();
        }));
    }

    @Test
    void everySecretIsMadeByTheScript() {
        var script = TestFiles.text(ENVIRONMENT);

        assertThat(Pattern.compile("\\$\\{([A-Z_]+)([^}]*)}")
                        .matcher(TestFiles.text(DeployFiles.COMPOSE))
                        .results())
                .isNotEmpty()
                .allSatisfy(variable -> {
                    assertThat(script).contains("echo \"" + variable.group(1) + "=");
                    assertThat(variable.group(2)).startsWith(":?");
                });
    }

    /** Whoever reads the environment of one of them gets no further than that. */
    @Test
    void everyRoleHasAPasswordOfItsOwn() {
        assertThat(variables("postgresql"))
                .containsExactlyInAnyOrder(
                        "POSTGRES_ADMIN_PASSWORD", "POSTGRES_OWNER_PASSWORD", "POSTGRES_SERVER_PASSWORD");
        assertThat(SERVICES.at("/postgresql/environment/POSTGRES_PASSWORD").asText())
                .startsWith("${POSTGRES_ADMIN_PASSWORD:");
        assertThat(SERVICES.at("/migrate/environment/TE_DATABASE_URL").asText())
                .startsWith("postgresql://taskexec_owner:${POSTGRES_OWNER_PASSWORD:");
        assertThat(variables("migrate")).containsExactly("POSTGRES_OWNER_PASSWORD");
        assertThat(SERVICES.at("/taskexec/environment/TE_DATABASE_URL").asText())
                .startsWith("postgresql://taskexec:${POSTGRES_SERVER_PASSWORD:");
        assertThat(variables("taskexec"))
                .containsExactlyInAnyOrder("TE_API_KEY", "TE_SECRET_ENCRYPTION_KEY", "POSTGRES_SERVER_PASSWORD");
        // Another database has other clients, and what one of them learns is of no use at the other.
        assertThat(variables("taskexec-cockroachdb"))
                .containsExactlyInAnyOrder("COCKROACHDB_TE_API_KEY", "COCKROACHDB_TE_SECRET_ENCRYPTION_KEY");
        assertThat(variables("grafana")).containsExactly("GRAFANA_PASSWORD");
        assertThat(variables("redis")).containsExactly("REDIS_PASSWORD");
    }

    private static Set<String> variables(String service) {
        return VARIABLE.matcher(SERVICES.path(service).toString())
                .results()
                .map(found -> found.group(1))
                .collect(Collectors.toSet());
    }

    /** Run with the shell, as the README says. */
    @Test
    void theScriptMakesEverySecretAnewAndNoneTwice() throws IOException, InterruptedException {
        var lines = new ArrayList<>(environment());
        lines.addAll(environment());
        var values = lines.stream()
                .map(line -> line.substring(line.indexOf('=') + 1))
                .toList();

        assertThat(lines).hasSizeGreaterThanOrEqualTo(2 * 8);
        assertThat(values).doesNotHaveDuplicates().allMatch(value -> value.length() >= 32);
        for (var line : lines) {
            var value = line.substring(line.indexOf('=') + 1);
            if (line.contains("TE_API_KEY=")) {
                KeyStrength.checkApiKey(value);
            } else if (line.contains("TE_SECRET_ENCRYPTION_KEY=")) {
                assertThat(KeyRing.parseForUse(value).activeId()).isEqualTo("k1");
            } else {
                // It stands in URLs and in SQL.
                assertThat(value).matches("[0-9a-f]{48}");
            }
        }
    }

    private static List<String> environment() throws IOException, InterruptedException {
        var script = new ProcessBuilder("sh", ENVIRONMENT.toString()).start();
        var lines = new String(script.getInputStream().readAllBytes(), StandardCharsets.UTF_8)
                .lines()
                .toList();
        assertThat(script.waitFor()).isZero();
        return lines;
    }

    /** The roles get their passwords from what the image of PostgreSQL runs at its first start. */
    @Test
    void eachRoleOfTheDatabaseGetsItsOwnPassword() {
        var script = TestFiles.text(DeployFiles.DEPLOY.resolve("postgresql/compose-init.sh"));

        assertThat(script)
                .contains("--set=owner=\"$POSTGRES_OWNER_PASSWORD\"", "ALTER ROLE taskexec_owner PASSWORD :'owner';")
                .contains("--set=server=\"$POSTGRES_SERVER_PASSWORD\"", "ALTER ROLE taskexec PASSWORD :'server';")
                .doesNotContain("$POSTGRES_PASSWORD");
    }

    @Test
    void nothingRunsAsMoreThanItMust() {
        for (var name : List.of("migrate", "taskexec", "migrate-cockroachdb", "taskexec-cockroachdb")) {
            var service = SERVICES.path(name);
            assertThat(service.path("read_only").asBoolean()).as(name).isTrue();
            assertThat(DeployFiles.texts(service.path("cap_drop"))).containsExactly("ALL");
            assertThat(DeployFiles.texts(service.path("tmpfs"))).containsExactly("/tmp:exec,mode=1777");
            assertThat(service.at("/build/dockerfile").asText()).isEqualTo("deploy/Dockerfile.jvm");
        }
        assertThat(SERVICES.at("/taskexec/environment/TE_DATABASE_URL").asText())
                .startsWith("postgresql://taskexec:");
        assertThat(SERVICES.at("/migrate/environment/TE_DATABASE_URL").asText())
                .startsWith("postgresql://taskexec_owner:");
    }

    @Test
    void prometheusReadsWhatTheProgramShows() {
        var prometheus = DeployFiles.yaml(DeployFiles.DEPLOY.resolve("prometheus/prometheus.yaml"))
                .getFirst();

        assertThat(prometheus.at("/scrape_configs/0/metrics_path").asText()).isEqualTo("/q/metrics");
        assertThat(prometheus.at("/scrape_configs/0/static_configs/0/targets/0").asText())
                .isEqualTo("taskexec:9000");
        assertThat(DeployFiles.texts(SERVICES.at("/prometheus/volumes")))
                .contains("./deploy/prometheus:/etc/prometheus:ro");
        assertThat(DeployFiles.texts(SERVICES.at("/prometheus/command")))
                .containsExactly("--config.file=/etc/prometheus/prometheus.yaml");
    }

    @Test
    void grafanaFindsWhatIsProvisioned() {
        var provisioning = DeployFiles.DEPLOY.resolve("grafana/provisioning");
        var source = DeployFiles.yaml(provisioning.resolve("datasources/prometheus.yaml"))
                .getFirst();
        var dashboards = DeployFiles.yaml(provisioning.resolve("dashboards/taskexec.yaml"))
                .getFirst();

        assertThat(source.at("/datasources/0/url").asText()).isEqualTo("http://prometheus:9090");
        assertThat(DeployFiles.texts(SERVICES.at("/grafana/volumes")))
                .contains("./deploy/grafana:"
                        + dashboards.at("/providers/0/options/path").asText() + ":ro");
    }
}
