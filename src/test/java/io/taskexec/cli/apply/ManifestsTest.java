package io.taskexec.cli.apply;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ManifestsTest {
    @TempDir
    private Path folder;

    private Manifests read(String name, String text) throws Exception {
        var file = Files.writeString(folder.resolve(name), text);
        var manifests = new Manifests(Map.of("A_KEY", "from-the-environment"));
        manifests.read(file.toString());
        return manifests;
    }

    private List<String> problems(String text) throws Exception {
        return read("a.yaml", text).problems().stream()
                .map(problem -> problem.replace(folder + "/", ""))
                .toList();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "kind: Confg\\nname: a                                  | a.yaml:1: /kind must be one of PayloadSpec",
                "name: a                                                | a.yaml:1: /kind",
                "kind: Config\\nname: A_B\\nvalues: {}                  | a.yaml:2: /name must be a name for a Config",
                "kind: Config\\nname: 12\\nvalues: {}                   | a.yaml:2: /name",
                "kind: Config\\nname: a\\nvalus: {}\\nvalues: {} | a.yaml:3: /valus 'valus' is not a known field",
                "kind: Config\\nname: a                                 | a.yaml:1: 'values' is required",
                "kind: Config\\nname: a\\nvalues: [1]                   | a.yaml:3: /values must be an object",
                "kind: Config\\nname: applied-x\\nvalues: {} | a.yaml:2: /name is reserved for the sets of apply",
                "kind: Secret\\nname: a                                 | a.yaml:1: a Secret needs exactly one of",
                "kind: Secret\\nname: a\\nvalue_env: MISSING | a.yaml:3: /value_env the variable MISSING is not set",
                "kind: Secret\\nname: a\\nvalue: 12                     | a.yaml:3: /value must be a string, in quotes",
                "kind: Endpoint\\nname: a\\ntype: FTP\\nspec: {}        | a.yaml:3: /type must be one of HTTP",
                "kind: Endpoint\\nname: a\\ntype: HTTP\\nspec:\\n  url: x\\n  method: GET\\n  timeout: 3"
                        + " | a.yaml:7: /spec/timeout 'timeout' is not a known field",
                "kind: Endpoint\\nname: a\\ntype: HTTP\\nspec:\\n  url: x\\n  method: GET\\n  headers:\\n    A: 1"
                        + " | a.yaml:8: /spec/headers/A must be a string",
                "kind: Endpoint\\nname: a\\ntype: http\\nspec: {}"
                        + " | a.yaml:3: /type must be one of HTTP, KAFKA, REDIS_STREAM, WORKFLOW, APPROVAL, WORKER;"
                        + " did you mean HTTP?",
                "kind: Endpoint\\nname: a\\ntype: KAFKA\\nspec:\\n  topic: x"
                        + " | a.yaml:4: /spec 'bootstrap_servers' is required",
                "kind: Endpoint\\nname: a\\ntype: WORKER\\nspec:\\n  url: x | a.yaml:5: /spec/url 'url' is not a known",
                "kind: Endpoint\\nname: a\\ntype: WORKER                | a.yaml:1: 'spec' is required",
                "kind: WorkflowDefinition\\nname: a\\njobs: {}\\nspec: {}"
                        + " | a.yaml:4: /spec 'spec' is not a known field",
                "kind: workflow-definition\\nname: a\\njobs:\\n  x:\\n    delay: 1m | a.yaml:4: /jobs/x 'endpoint' is",
                "kind: Endpoint\\nname: a\\ntype: WORKFLOW\\nspec:\\n  jobs:\\n    x: {endpoint: e, ttl: soon}"
                        + " | a.yaml:6: /spec/jobs/x/ttl must be a duration",
                "kind: Job\\nname: a\\nendpoint: e                      | a.yaml:1: a Job needs either cron",
                "kind: Job\\nname: a\\nendpoint: e\\nevery: soon        | a.yaml:4: /every must be a duration",
                "kind: Job\\nname: a\\nendpoint: e\\ncron: '@daily'     | a.yaml:1: 'timezone' is required with cron",
                "kind: Job\\nname: a\\nendpoint: e\\nevery: 1h\\ntrigger: CRON | a.yaml:1: a Job needs either cron",
                "kind: Job\\nname: a\\nendpoint: e\\nevery: 1h\\ntrigger: interval"
                        + " | a.yaml:5: /trigger must be one of CRON, INTERVAL; did you mean INTERVAL?",
                "kind: Job\\nname: a\\nendpoint: e\\nevery: 1h\\ntags: ['applied:b']"
                        + " | a.yaml:5: /tags must not begin with",
                "- 1                                                    | a.yaml:1: must have the fields",
            })
    void whatIsWrongIsSaidWithItsLine(String text, String problem) throws Exception {
        assertThat(problems(text.replace("\\n", "\n")))
                .singleElement()
                .asString()
                .startsWith(problem);
    }

    @Test
    void allProblemsOfAllFilesAreSaidAtOnce() throws Exception {
        Files.writeString(folder.resolve("one.yaml"), "kind: Config\nname: a\nvalues: {}\n---\nkind: Nothing\nname: b");
        Files.writeString(folder.resolve("two.json"), "{\"kind\": \"Config\",\n\t\"name\": \"a\", \"values\": {}}");
        Files.writeString(folder.resolve("three.yml"), "a: [");
        Files.writeString(folder.resolve("notes.txt"), "not looked at");
        var manifests = new Manifests(Map.of());

        manifests.read(folder.toString());

        assertThat(manifests.problems())
                .hasSize(3)
                .anySatisfy(problem -> assertThat(problem).contains("one.yaml:5: /kind"))
                .anySatisfy(problem -> assertThat(problem).contains("three.yml:1: Not valid YAML"))
                .anySatisfy(problem -> assertThat(problem)
                        .contains("two.json:2: /name this is repeated: Config a is at", "one.yaml:2 too"));
    }

    @Test
    void plainScalarsHaveTheTypesOfYaml12AndQuotedOnesAreStrings() throws Exception {
        var manifests = read("a.yaml", """
                kind: Config
                name: a
                values: {no: yes, on: off, time: 08:30, octal: 010, hex: 0x1F, date: 2026-01-01, flag: true, n: 12.50,
                    text: 'true', nothing: ~, tagged: !!str 12}
                """);

        assertThat(manifests.problems()).isEmpty();
        assertThat(manifests.declared().getFirst().fields().toString())
                .isEqualTo("{\"values\":{\"no\":\"yes\",\"on\":\"off\",\"time\":\"08:30\",\"octal\":\"010\","
                        + "\"hex\":\"0x1F\",\"date\":\"2026-01-01\",\"flag\":true,\"n\":12.50,\"text\":\"true\","
                        + "\"nothing\":null,\"tagged\":\"12\"}}");
    }

    @Test
    void anAnchorIsRepeatedAndABombOfAliasesIsRefused() throws Exception {
        var once = read("a.yaml", "kind: Config\nname: a\nvalues: {x: &x [1, 2], y: *x}");
        var bomb = new StringBuilder("kind: Config\nname: a\nvalues:\n  v0: &v0 [x, x, x, x, x, x, x, x]\n");
        for (var i = 1; i < 12; i++) {
            bomb.append("  v%d: &v%d [*v%d, *v%d, *v%d, *v%d]\n".formatted(i, i, i - 1, i - 1, i - 1, i - 1));
        }

        assertThat(once.problems()).isEmpty();
        assertThat(once.declared().getFirst().fields().at("/values/y")).hasSize(2);
        assertThat(problems(bomb.toString())).singleElement().asString().startsWith("a.yaml:");
    }

    @Test
    void deepNestingIsRefusedWhereItIsTooDeep() throws Exception {
        assertThat(problems("kind: Config\nname: a\nvalues:\n  x: " + "[".repeat(100_000)))
                .containsExactly("a.yaml:4: The document is too deep or too large.");
    }

    @Test
    void aRepeatedFieldIsRefused() throws Exception {
        assertThat(problems("kind: Config\nname: a\nvalues:\n  x: 1\n  x: 2"))
                .containsExactly("a.yaml:5: The field 'x' is repeated.");
    }

    @Test
    void aMountedFolderOfKubernetesHasEachFileOnceAndAFolderIsNoFile() throws Exception {
        var now = Files.createDirectory(folder.resolve("..2026_11_21"));
        Files.writeString(now.resolve("one.yaml"), "kind: Config\nname: a\nvalues: {}");
        Files.createSymbolicLink(folder.resolve("..data"), Path.of("..2026_11_21"));
        Files.createSymbolicLink(folder.resolve("one.yaml"), Path.of("..data/one.yaml"));
        var below = Files.createDirectory(folder.resolve("more.yaml"));
        Files.writeString(below.resolve("two.yml"), "kind: Config\nname: b\nvalues: {}");
        var manifests = new Manifests(Map.of());

        manifests.read(folder.toString());

        assertThat(manifests.problems()).isEmpty();
        assertThat(manifests.declared()).extracting(DesiredResource::name).containsExactly("b", "a");
    }

    @Test
    void linksToFoldersAreFollowed(@TempDir Path elsewhere) throws Exception {
        Files.writeString(elsewhere.resolve("one.yaml"), "kind: Config\nname: a\nvalues: {}");
        Files.createSymbolicLink(folder.resolve("shared"), elsewhere);
        var manifests = new Manifests(Map.of());

        manifests.read(folder.toString());

        assertThat(manifests.problems()).isEmpty();
        assertThat(manifests.declared()).extracting(DesiredResource::name).containsExactly("a");
    }

    @Test
    void aFolderIsReadOnceHoweverManyLinksLeadToIt() throws Exception {
        var base = Files.createDirectory(folder.resolve("base"));
        Files.writeString(base.resolve("one.yaml"), "kind: Config\nname: a\nvalues: {}");
        var hidden = Files.createDirectory(folder.resolve(".cache"));
        Files.createSymbolicLink(hidden.resolve("back"), folder);
        Files.createSymbolicLink(folder.resolve("again"), folder);
        Files.createSymbolicLink(folder.resolve("current"), base);
        var manifests = new Manifests(Map.of());

        manifests.read(folder.toString());

        assertThat(manifests.problems()).isEmpty();
        assertThat(manifests.declared()).extracting(DesiredResource::name).containsExactly("a");
    }

    @Test
    void aLinkThatLeadsNowhereIsNotPassedOver() throws Exception {
        Files.createSymbolicLink(folder.resolve("lost.yaml"), Path.of("nowhere"));
        var manifests = new Manifests(Map.of());

        manifests.read(folder.toString());

        assertThat(manifests.problems()).singleElement().asString().contains("lost.yaml cannot be read.");
    }

    @Test
    void aFolderWithoutFilesAndAFileThatIsNotThereAreWrong() {
        var manifests = new Manifests(Map.of());

        manifests.read(folder.toString());
        manifests.read(folder.resolve("missing.yaml").toString());

        assertThat(manifests.problems())
                .anySatisfy(problem -> assertThat(problem).contains("has no .yaml"))
                .anySatisfy(problem -> assertThat(problem).contains("missing.yaml cannot be read."));
    }

    @Test
    void aSecretComesFromAVariableOrAFileAndIsThenLikeAnyOther() throws Exception {
        var file = Files.writeString(folder.resolve("key.txt"), "from-a-file\n");
        var manifests = read("a.yaml", """
                kind: Secret
                name: one
                value_env: A_KEY
                ---
                kind: Secret
                name: two
                value_file: %s
                """.formatted(file));

        assertThat(manifests.problems()).isEmpty();
        assertThat(manifests.declared().getFirst().fields().toString())
                .isEqualTo("{\"value\":\"from-the-environment\"}");
        assertThat(manifests.declared().get(1).fields().toString()).isEqualTo("{\"value\":\"from-a-file\"}");
    }

    @Test
    void aJobKnowsItsTriggerAndIsTaggedWithItsName() throws Exception {
        var manifests = read("a.yaml", "kind: Job\nname: nightly\nendpoint: e\nevery: 90m\ntags: [b]\njitter:");

        assertThat(manifests.problems()).isEmpty();
        assertThat(manifests.declared().getFirst().fields().toString())
                .isEqualTo("{\"endpoint\":\"e\",\"every\":\"PT90M\",\"tags\":[\"b\",\"applied:nightly\"],"
                        + "\"trigger\":\"INTERVAL\"}");
    }

    @Test
    void anEndpointOfPullWorkersNeedsNoAddressAndItsJobsHaveItsQueue() throws Exception {
        var manifests = read("a.yaml", """
                kind: Endpoint
                name: resize
                type: WORKER
                spec: {}
                ---
                kind: Job
                name: nightly
                endpoint: resize
                every: 1h
                """);

        assertThat(manifests.problems()).isEmpty();
        var endpoint = manifests.declared().getFirst();
        assertThat(endpoint.fields().toString()).isEqualTo("{\"type\":\"WORKER\",\"spec\":{}}");
        assertThat(JobPlanner.Target.of(1, "resize", endpoint.fields()).queue()).isEqualTo("worker:resize");
    }

    @Test
    void whatOthersNeedComesFirst() throws Exception {
        var endpoint = "kind: Endpoint\ntype: HTTP\nspec: {url: 'http://a', method: POST}\n";
        var manifests = read(
                "a.yaml",
                String.join(
                        "---\n",
                        "kind: Job\nname: j\nendpoint: first\nevery: 1h\n",
                        endpoint + "name: first\non_success: second\n",
                        endpoint + "name: second\non_failure: third\n",
                        endpoint + "name: third\non_success: first\n",
                        "kind: Config\nname: c\nvalues: {}\n",
                        "kind: payload-spec\nname: p\nschema: {}\n"));

        assertThat(manifests.problems()).isEmpty();
        assertThat(DependencyOrder.of(manifests.declared()).stream()
                        .map(one -> one.identity().toString()))
                .containsExactly(
                        "PayloadSpec p", "Config c", "Endpoint third", "Endpoint second", "Endpoint first", "Job j");
    }

    @Test
    void aWorkflowComesAfterTheEndpointsOfItsJobsAndCallbacks() throws Exception {
        var manifests = read("a.yaml", """
                kind: Job
                name: nightly
                endpoint: outer
                every: 1h
                ---
                kind: WorkflowDefinition
                name: outer
                on_failure: alert
                jobs: {one: {endpoint: inner}, two: {endpoint: call, depends_on: [one], delay: 5m}}
                ---
                kind: Endpoint
                name: inner
                type: WORKFLOW
                spec: {deadline: 1d, jobs: {only: {endpoint: call, ttl: 2h}}}
                ---
                kind: Endpoint
                name: call
                type: HTTP
                on_success: late
                spec: {url: 'http://a', method: GET}
                ---
                kind: WorkflowDefinition
                name: late
                jobs: {tell: {endpoint: alert}}
                ---
                kind: Endpoint
                name: alert
                type: HTTP
                spec: {url: 'http://a', method: GET}
                """);

        assertThat(manifests.problems()).isEmpty();
        assertThat(DependencyOrder.of(manifests.declared()))
                .extracting(one -> one.identity().toString())
                .containsExactly(
                        "Endpoint alert",
                        "WorkflowDefinition late",
                        "Endpoint call",
                        "Endpoint inner",
                        "WorkflowDefinition outer",
                        "Job nightly");
        assertThat(manifests.declared().get(1).fields().at("/jobs/two/delay").asText())
                .isEqualTo("PT5M");
        assertThat(manifests.declared().get(2).fields().path("spec").toString())
                .isEqualTo("{\"deadline\":\"P1D\",\"jobs\":{\"only\":{\"endpoint\":\"call\",\"ttl\":\"PT2H\"}}}");
    }
}
