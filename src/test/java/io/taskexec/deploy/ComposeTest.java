package io.taskexec.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.taskexec.schema.CheckBudget;
import io.taskexec.schema.InputSchema;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map.Entry;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class ComposeTest {
    private static final JsonNode FILE = DeployFiles.yaml(DeployFiles.COMPOSE).getFirst();
    private static final JsonNode SERVICES = FILE.path("services");
    private static final Path ENVIRONMENT = DeployFiles.DEPLOY.resolve("compose-env.sh");

    @Test
    void itKeepsToTheSchema() {
        var schema = DeployFiles.json(DeployFiles.text(Path.of("src/test/resources/deploy/compose-schema.json")));

        var budget = CheckBudget.of(CheckBudget.MOST_STEPS, Duration.ofSeconds(20));

        assertThat(InputSchema.compileNew(schema, budget).validate(FILE, budget))
                .isEmpty();
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
                                    assertThat(DeployFiles.texts(other.path("command")))
                                            .containsExactly("migrate");
                                default -> throw new AssertionError("unknown condition of " + dependency);
                            }
                            // What a profile leaves out cannot be waited for without it.
                            assertThat(DeployFiles.texts(service.getValue().path("profiles")))
                                    .containsAll(DeployFiles.texts(other.path("profiles")));
                        }));
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
        var script = DeployFiles.text(ENVIRONMENT);

        assertThat(Pattern.compile("\\$\\{([A-Z_]+)([^}]*)}")
                        .matcher(DeployFiles.text(DeployFiles.COMPOSE))
                        .results())
                .isNotEmpty()
                .allSatisfy(variable -> {
                    assertThat(script).contains("echo \"" + variable.group(1) + "=");
                    assertThat(variable.group(2)).startsWith(":?");
                });
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
