package io.taskexec.deploy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class KubernetesTest {
    private static final Path KUBERNETES = DeployFiles.DEPLOY.resolve("kubernetes");
    private static final Set<String> ROLES = Set.of("api", "worker", "scheduler");

    static Stream<Path> overlays() throws java.io.IOException {
        try (var overlays = Files.list(KUBERNETES.resolve("overlays"))) {
            return overlays.toList().stream();
        }
    }

    @Test
    void everyFileIsPartOfSomething() {
        var named = DeployFiles.all().stream()
                .filter(file -> file.endsWith("kustomization.yaml"))
                .flatMap(file -> DeployFiles.yaml(file).getFirst().findValuesAsText("path").stream()
                        .map(file::resolveSibling))
                .toList();
        var resources = DeployFiles.all().stream()
                .filter(file -> file.endsWith("kustomization.yaml"))
                .flatMap(file -> DeployFiles.texts(
                                DeployFiles.yaml(file).getFirst().path("resources"))
                        .stream()
                        .map(file::resolveSibling))
                .toList();

        assertThat(DeployFiles.all())
                .filteredOn(file -> file.startsWith(KUBERNETES) && !file.endsWith("kustomization.yaml"))
                .isNotEmpty()
                .allSatisfy(file -> assertThat(Stream.concat(named.stream(), resources.stream()))
                        .contains(file));
    }

    @ParameterizedTest
    @MethodSource("overlays")
    void everyObjectKeepsToTheSchemaOfItsKind(Path overlay) {
        assertThat(withAllComponents(overlay))
                .hasSizeGreaterThan(15)
                .allSatisfy(object -> assertThatCode(() -> Kinds.check(object))
                        .as("%s %s", object.path("kind"), object.at("/metadata/name"))
                        .doesNotThrowAnyException());
    }

    /** Else the test above would say nothing. */
    @Test
    void whatDoesNotKeepToItsSchemaIsFound() {
        var job = """
                {"apiVersion":"batch/v1","kind":"Job","spec":{"template":{"spec":{"containers":[{%s}]}}}}""";

        assertThatCode(() -> Kinds.check(DeployFiles.json(job.formatted("\"name\":\"x\""))))
                .doesNotThrowAnyException();
        assertThatCode(() -> Kinds.check(DeployFiles.json(job.formatted("\"name\":\"x\",\"comand\":[]"))))
                .hasMessageContaining("comand");
        assertThatCode(() -> Kinds.check(DeployFiles.json(job.formatted("")))).hasMessageContaining("name");
        assertThatCode(() -> Kinds.check(DeployFiles.json(job.formatted("\"name\":\"x\",\"args\":\"y\""))))
                .hasMessageContaining("args");
    }

    @ParameterizedTest
    @MethodSource("overlays")
    void noTwoObjectsAreTheSame(Path overlay) {
        assertThat(withAllComponents(overlay))
                .extracting(object -> object.path("kind").asText() + " "
                        + object.at("/metadata/name").asText())
                .doesNotHaveDuplicates();
    }

    @ParameterizedTest
    @MethodSource("overlays")
    void everyRoleHasItsDeploymentServiceAndBudgetAndTheCommandLineTakesItsArguments(Path overlay) {
        var objects = Kustomization.build(overlay);

        for (var kind : List.of("Deployment", "Service", "PodDisruptionBudget")) {
            assertThat(of(objects, kind))
                    .extracting(object -> object.at("/metadata/name").asText())
                    .containsExactlyInAnyOrderElementsOf(
                            ROLES.stream().map(role -> "taskexec-" + role).toList());
        }
        assertThat(of(objects, "Deployment"))
                .allSatisfy(deployment -> assertThat(
                                DeployFiles.texts(container(deployment).path("args")))
                        .isEqualTo(List.of(
                                "serve",
                                "--roles="
                                        + deployment
                                                .at("/metadata/name")
                                                .asText()
                                                .substring("taskexec-".length()))));
        assertThat(of(objects, "Job"))
                .singleElement()
                .satisfies(job -> assertThat(DeployFiles.texts(container(job).path("args")))
                        .containsExactly("migrate"));
    }

    /** One that is cut off has done nothing, and begins anew. */
    @ParameterizedTest
    @MethodSource("overlays")
    void aMigrationMayTakeAsLongAsItNeeds(Path overlay) {
        assertThat(of(Kustomization.build(overlay), "Job"))
                .singleElement()
                .satisfies(job -> assertThat(job.path("spec").has("activeDeadlineSeconds"))
                        .isFalse());
    }

    /** The selectors of services, budgets and policies, and what autoscalers scale. */
    @ParameterizedTest
    @MethodSource("overlays")
    void whatSelectsPodsFindsSome(Path overlay) {
        var objects = withAllComponents(overlay);
        var pods = objects.stream()
                .map(object -> object.at("/spec/template/metadata/labels"))
                .filter(labels -> !labels.isMissingNode())
                .toList();

        for (var kind : List.of("Service", "PodDisruptionBudget", "NetworkPolicy", "Deployment")) {
            assertThat(of(objects, kind)).isNotEmpty().allSatisfy(object -> {
                var selector = selector(object);
                assertThat(pods)
                        .as("%s %s", kind, object.at("/metadata/name"))
                        .anyMatch(labels -> selector.properties().stream()
                                .allMatch(label -> label.getValue().equals(labels.path(label.getKey()))));
            });
        }
        for (var kind : List.of("HorizontalPodAutoscaler", "ScaledObject")) {
            assertThat(of(objects, kind))
                    .isNotEmpty()
                    .allSatisfy(scaler -> assertThat(of(objects, "Deployment"))
                            .filteredOn(deployment ->
                                    deployment.at("/metadata/name").equals(scaler.at("/spec/scaleTargetRef/name")))
                            .singleElement()
                            // Else an apply would undo what the autoscaler has decided.
                            .satisfies(deployment -> assertThat(
                                            deployment.path("spec").has("replicas"))
                                    .isFalse()));
        }
    }

    @ParameterizedTest
    @MethodSource("overlays")
    void portsAreThoseOfThePods(Path overlay) {
        var objects = withAllComponents(overlay);

        assertThat(of(objects, "Deployment"))
                .allSatisfy(deployment -> assertThat(ports(deployment)).containsEntry("management", 9000));
        assertThat(of(objects, "Service")).allSatisfy(service -> {
            var ports = ports(of(objects, "Deployment").stream()
                    .filter(deployment -> deployment.at("/metadata/name").equals(service.at("/metadata/name")))
                    .findFirst()
                    .orElseThrow());
            service.at("/spec/ports")
                    .forEach(port -> assertThat(ports)
                            .containsEntry(
                                    port.path("targetPort").asText(),
                                    port.path("port").asInt()));
        });
        assertThat(of(objects, "ScaledObject"))
                .singleElement()
                .satisfies(scaler -> assertThat(
                                scaler.at("/spec/triggers/0/metadata/url").asText())
                        .isEqualTo("http://taskexec-scheduler.taskexec.svc:9000/metrics/queues"));
    }

    @ParameterizedTest
    @MethodSource("overlays")
    void onlyTheRoleApiIsReachedByClients(Path overlay) {
        assertThat(of(Kustomization.build(overlay), "Deployment"))
                .filteredOn(deployment -> ports(deployment).containsKey("api"))
                .singleElement()
                .satisfies(deployment ->
                        assertThat(deployment.at("/metadata/name").asText()).isEqualTo("taskexec-api"));
    }

    @ParameterizedTest
    @MethodSource("overlays")
    void policiesLetOutToTheDatabaseOfTheOverlay(Path overlay) {
        var port = overlay.endsWith("cockroachdb") ? 26257 : 5432;

        assertThat(of(Kustomization.build(overlay), "NetworkPolicy"))
                .filteredOn(policy -> policy.at("/metadata/name").asText().equals("taskexec-base"))
                .singleElement()
                .satisfies(policy -> assertThat(policy.findValues("port")).anyMatch(found -> found.asInt() == port));
    }

    @ParameterizedTest
    @MethodSource("overlays")
    void tracesOfAllRolesMayGoWhereTheSettingSendsThem(Path overlay) {
        var objects = withAllComponents(overlay);
        var collector = URI.create(of(objects, "ConfigMap")
                .getFirst()
                .at("/data/OTEL_EXPORTER_OTLP_ENDPOINT")
                .asText());

        assertThat(of(objects, "NetworkPolicy"))
                .filteredOn(policy -> policy.at("/metadata/name").asText().equals("taskexec-traces"))
                .singleElement()
                .satisfies(policy -> {
                    assertThat(selector(policy).properties()).hasSize(1);
                    var rule = policy.at("/spec/egress/0");
                    assertThat(rule.at("/ports/0/port").asInt()).isEqualTo(collector.getPort());
                    assertThat(collector.getHost())
                            .contains("."
                                    + rule.findValuesAsText("kubernetes.io/metadata.name")
                                            .getFirst() + ".");
                });
    }

    @ParameterizedTest
    @MethodSource("overlays")
    void theRoleApiMayAskAnIdentityProviderWithSingleSignOn(Path overlay) {
        var api = of(withAllComponents(overlay), "Deployment").stream()
                .filter(deployment -> deployment.at("/metadata/name").asText().equals("taskexec-api"))
                .findFirst()
                .orElseThrow();

        assertThat(of(withAllComponents(overlay), "NetworkPolicy"))
                .filteredOn(policy -> policy.at("/metadata/name").asText().equals("taskexec-single-sign-on"))
                .singleElement()
                .satisfies(policy -> {
                    assertThat(selector(policy)).isEqualTo(api.at("/spec/selector/matchLabels"));
                    assertThat(policy.at("/spec/egress/0/ports/0/port").asInt()).isEqualTo(443);
                });
    }

    /** The others have no file with its secret, and refuse to start with a setting that names one. */
    @ParameterizedTest
    @MethodSource("overlays")
    void onlyTheRoleApiHasTheSettingsOfSingleSignOn(Path overlay) {
        var objects = withAllComponents(overlay);

        assertThat(of(objects, "ConfigMap").toString()).doesNotContain("TE_UI_OIDC_");
        assertThat(of(objects, "Deployment"))
                .filteredOn(deployment -> deployment.toString().contains("TE_UI_OIDC_"))
                .singleElement()
                .satisfies(deployment -> {
                    assertThat(deployment.at("/metadata/name").asText()).isEqualTo("taskexec-api");
                    assertThat(container(deployment).path("env").findValuesAsText("name"))
                            .contains(
                                    "TE_UI_OIDC_ISSUER",
                                    "TE_UI_OIDC_CLIENT_ID",
                                    "TE_UI_OIDC_CLIENT_SECRET_FILE",
                                    "TE_UI_OIDC_SCOPES");
                });
    }

    private static java.util.Map<String, Integer> ports(JsonNode deployment) {
        var ports = new java.util.TreeMap<String, Integer>();
        container(deployment)
                .path("ports")
                .forEach(port -> ports.put(
                        port.path("name").asText(), port.path("containerPort").asInt()));
        return ports;
    }

    private static JsonNode selector(JsonNode object) {
        var spec = object.path("spec");
        return switch (object.path("kind").asText()) {
            case "Service" -> spec.path("selector");
            case "NetworkPolicy" -> spec.at("/podSelector/matchLabels");
            default -> spec.at("/selector/matchLabels");
        };
    }

    static JsonNode container(JsonNode workload) {
        var containers = workload.at("/spec/template/spec/containers");
        assertThat(containers).hasSize(1);
        return containers.get(0);
    }

    static List<ObjectNode> of(List<ObjectNode> objects, String kind) {
        return objects.stream()
                .filter(object -> object.path("kind").asText().equals(kind))
                .toList();
    }

    /** The overlay, and the examples that it has not. */
    static List<ObjectNode> withAllComponents(Path overlay) {
        var objects = Kustomization.build(overlay);
        var worker = Kustomization.withComponent(objects, KUBERNETES.resolve("components/worker-by-queue"));
        assertThat(new TreeSet<>(worker.stream()
                        .map(object -> object.path("kind").asText())
                        .toList()))
                .contains("ScaledObject", "HorizontalPodAutoscaler");
        var traced = Kustomization.withComponent(worker, KUBERNETES.resolve("components/traces"));
        return Kustomization.withComponent(traced, KUBERNETES.resolve("components/single-sign-on"));
    }
}
