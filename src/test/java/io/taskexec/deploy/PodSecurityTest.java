package io.taskexec.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.taskexec.testing.TestFiles;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Checks the security context of every pod. */
class PodSecurityTest {
    private static final Path GUIDE = DeployFiles.DEPLOY.resolve("README.md");

    private static final List<ObjectNode> OBJECTS =
            KubernetesTest.withAllComponents(DeployFiles.DEPLOY.resolve("kubernetes/overlays/postgresql"));

    static Stream<ObjectNode> workloads() {
        return OBJECTS.stream().filter(object -> object.path("kind").asText().matches("Deployment|Job"));
    }

    @ParameterizedTest
    @MethodSource("workloads")
    void noPodMayDoMoreThanItNeeds(JsonNode workload) {
        var pod = workload.at("/spec/template/spec");
        var container = KubernetesTest.container(workload);

        assertThat(pod.path("automountServiceAccountToken").asBoolean(true)).isFalse();
        assertThat(pod.at("/securityContext/runAsNonRoot").asBoolean()).isTrue();
        assertThat(pod.at("/securityContext/runAsUser").asInt()).isPositive();
        assertThat(pod.at("/securityContext/seccompProfile/type").asText()).isEqualTo("RuntimeDefault");
        assertThat(container.at("/securityContext/readOnlyRootFilesystem").asBoolean())
                .isTrue();
        assertThat(container.at("/securityContext/allowPrivilegeEscalation").asBoolean(true))
                .isFalse();
        assertThat(DeployFiles.texts(container.at("/securityContext/capabilities/drop")))
                .containsExactly("ALL");
        assertThat(container.path("image").asText()).matches("taskexec:\\d.*");
        assertThat(container.at("/resources/requests")).isNotEmpty();
        assertThat(container.at("/resources/limits/memory").asText()).isNotEmpty();
    }

    @ParameterizedTest
    @MethodSource("workloads")
    void secretsComeFromFilesOfASecretThatTheGuideMakes(JsonNode workload) {
        var settings = settings(workload);
        var files = settings.entrySet().stream()
                .filter(setting -> setting.getKey().endsWith("_FILE"))
                .toList();

        assertThat(settings).doesNotContainKeys("TE_DATABASE_URL", "TE_API_KEY", "TE_SECRET_ENCRYPTION_KEY");
        assertThat(files).isNotEmpty().allSatisfy(setting -> {
            var file = Path.of(setting.getValue());
            var volume = volumeAt(workload, Objects.requireNonNull(file.getParent()));
            var key = String.valueOf(file.getFileName());
            assertThat(TestFiles.text(GUIDE))
                    .containsPattern("create secret generic "
                            + volume.at("/secret/secretName").asText() + " (?s:.{0,2500}?)--from-file=" + key + "=");
            if (volume.path("secret").has("items")) {
                assertThat(volume.at("/secret/items").findValuesAsText("path")).contains(key);
            }
        });
    }

    @ParameterizedTest
    @MethodSource("workloads")
    void everyMountedVolumeIsThereAndTmpCanBeWrittenTo(JsonNode workload) {
        var mounts = KubernetesTest.container(workload).path("volumeMounts");

        mounts.forEach(mount -> assertThat(
                        volumeAt(workload, Path.of(mount.path("mountPath").asText())))
                .isNotEmpty());
        assertThat(volumeAt(workload, Path.of("/tmp")).has("emptyDir")).isTrue();
    }

    @Test
    void probesAskTheManagementPortForWhatIsThere() {
        assertThat(KubernetesTest.of(OBJECTS, "Deployment")).hasSize(3).allSatisfy(deployment -> {
            var container = KubernetesTest.container(deployment);
            assertThat(probe(container, "startupProbe")).isEqualTo("management/q/health/started");
            assertThat(probe(container, "livenessProbe")).isEqualTo("management/q/health/live");
            assertThat(probe(container, "readinessProbe")).isEqualTo("management/q/health/ready");
        });
    }

    @Test
    void podsAreGivenTheTimeThatTheProgramTakesToStop() {
        assertThat(KubernetesTest.of(OBJECTS, "Deployment")).allSatisfy(deployment -> {
            var grace = deployment
                    .at("/spec/template/spec/terminationGracePeriodSeconds")
                    .asInt();
            var wait = KubernetesTest.container(deployment)
                    .at("/lifecycle/preStop/sleep/seconds")
                    .asInt();
            var delivers = deployment.at("/metadata/name").asText().equals("taskexec-worker");
            var draining = delivers
                    ? Integer.parseInt(settings(deployment).getOrDefault("TE_WORKER_SHUTDOWN_TIMEOUT_SEC", ""))
                    : 5;
            assertThat(grace).isGreaterThan(wait + draining + 5);
        });
    }

    private static String probe(JsonNode container, String name) {
        return container.path(name).at("/httpGet/port").asText()
                + container.path(name).at("/httpGet/path").asText();
    }

    private static JsonNode volumeAt(JsonNode workload, Path path) {
        var name = KubernetesTest.container(workload)
                .path("volumeMounts")
                .valueStream()
                .filter(mount -> Path.of(mount.path("mountPath").asText()).equals(path))
                .findFirst()
                .orElseThrow(() -> new AssertionError("nothing is mounted at " + path))
                .path("name");
        return workload.at("/spec/template/spec/volumes")
                .valueStream()
                .filter(volume -> volume.path("name").equals(name))
                .findFirst()
                .orElseThrow(() -> new AssertionError("there is no volume " + name));
    }

    /** The environment, with that of the settings that all have in common. */
    private static Map<String, String> settings(JsonNode workload) {
        var settings = new TreeMap<String, String>();
        var container = KubernetesTest.container(workload);
        for (var source : container.path("envFrom")) {
            KubernetesTest.of(OBJECTS, "ConfigMap").stream()
                    .filter(map -> map.at("/metadata/name").equals(source.at("/configMapRef/name")))
                    .findFirst()
                    .orElseThrow(() -> new AssertionError("there are no settings " + source))
                    .path("data")
                    .properties()
                    .forEach(setting ->
                            settings.put(setting.getKey(), setting.getValue().asText()));
        }
        container
                .path("env")
                .forEach(variable -> settings.put(
                        variable.path("name").asText(), variable.path("value").asText()));
        return settings;
    }
}
