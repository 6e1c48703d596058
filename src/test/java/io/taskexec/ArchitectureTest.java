package io.taskexec;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.methods;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaMethod;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import io.smallrye.mutiny.Uni;
import io.taskexec.store.sql.Once;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.HttpMethod;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jboss.resteasy.reactive.server.Cancellable;
import org.junit.jupiter.api.Test;

/** The table of packages in CONTRIBUTING.md as rules. */
class ArchitectureTest {
    private static final String ROOT = "io.taskexec";

    /** Of a package, its {@code package-info} aside. */
    private static final int MAX_FILES = 30;

    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages(ROOT);

    /** What each layer may use of the others, its parts included; the root composes them and may use everything. */
    private static final Map<String, List<String>> MAY_USE = Map.ofEntries(
            Map.entry("model", List.of()),
            Map.entry("observe", List.of("model", "loop")),
            Map.entry("loop", List.of("model")),
            Map.entry("store", List.of("model", "observe")),
            Map.entry("clock", List.of("model", "store")),
            Map.entry("schedule", List.of("model")),
            Map.entry("template", List.of()),
            Map.entry("schema", List.of("model")),
            Map.entry("secret", List.of()),
            Map.entry("request", List.of("model", "store", "schedule", "template")),
            Map.entry("job", List.of("model", "observe", "store", "schedule", "schema", "request", "template")),
            Map.entry(
                    "api",
                    List.of(
                            "model",
                            "observe",
                            "loop",
                            "store",
                            "schedule",
                            "schema",
                            "template",
                            "secret",
                            "request",
                            "job",
                            "resolve",
                            "workflow",
                            "wait",
                            "lease",
                            "forecast",
                            "clock")),
            Map.entry("web", List.of("model", "loop", "store", "secret", "request", "api", "forecast")),
            Map.entry("forecast", List.of("model", "store", "schedule")),
            Map.entry("wait", List.of("model", "store", "secret", "request", "job", "resolve", "workflow")),
            Map.entry("lease", List.of("model", "observe", "loop", "store", "clock", "request", "resolve", "wait")),
            Map.entry("workflow", List.of("model", "store", "template", "request", "job", "resolve")),
            Map.entry("kafka", List.of("model", "loop", "store", "job")),
            Map.entry("resolve", List.of("model", "store", "template", "secret", "schema")),
            Map.entry("dispatch", List.of("model", "secret")),
            Map.entry(
                    "worker",
                    List.of("model", "observe", "loop", "store", "clock", "resolve", "dispatch", "workflow", "wait")),
            Map.entry("check", List.of("model", "store", "schedule")),
            Map.entry("scheduler", List.of("model", "observe", "loop", "store", "clock", "schedule", "check")),
            Map.entry("region", List.of("model", "loop", "store")),
            Map.entry(
                    "config",
                    List.of(
                            "model",
                            "observe",
                            "store",
                            "secret",
                            "api",
                            "kafka",
                            "resolve",
                            "dispatch",
                            "wait",
                            "worker",
                            "scheduler")),
            Map.entry(
                    "server",
                    List.of(
                            "model",
                            "observe",
                            "loop",
                            "store",
                            "secret",
                            "api",
                            "kafka",
                            "lease",
                            "worker",
                            "scheduler",
                            "region",
                            "clock",
                            "config")),
            Map.entry("embedded", List.of()),
            Map.entry("cli", List.of("model", "schedule", "secret")),
            Map.entry(
                    "command",
                    List.of(
                            "model",
                            "store",
                            "secret",
                            "dispatch",
                            "check",
                            "clock",
                            "config",
                            "server",
                            "embedded",
                            "cli")));

    /**
     * What the parts of a layer may use of the same layer; parts that are not named here follow from there being no
     * cycle.
     */
    private static final Map<String, List<String>> WITHIN_LAYER = Map.ofEntries(
            Map.entry("model", List.of()),
            Map.entry(
                    "model.endpoint", List.of("model", "model.flow", "model.dependency", "model.queue", "model.wait")),
            Map.entry("store.metrics", List.of()),
            Map.entry("store.sql", List.of("store.metrics")),
            Map.entry("store.migration", List.of("store.sql")),
            Map.entry("store.endpoint", List.of("store.sql", "store.flow")),
            Map.entry("store.event", List.of("store.sql")),
            Map.entry("store.invariant", List.of("store.sql", "store.region")),
            Map.entry("api.web", List.of()),
            Map.entry("api.filter", List.of("api.web")),
            Map.entry("api.endpoint", List.of("api.web")),
            Map.entry("api.event", List.of("api.web")),
            Map.entry("api.execution", List.of("api.web", "api.callback")),
            Map.entry("api.connection", List.of()),
            Map.entry("dispatch.egress", List.of()),
            Map.entry("dispatch.delivery", List.of()),
            Map.entry("dispatch.exchange", List.of()),
            Map.entry("web.frame", List.of()),
            Map.entry("web.chart", List.of()),
            Map.entry("cli.text", List.of()),
            Map.entry("cli.client", List.of("cli.text")));

    /** Libraries that one package alone may use. */
    private static final Map<String, String> HOMES = Map.ofEntries(
            Map.entry("io.vertx..sqlclient..", "store"),
            Map.entry("io.vertx..pgclient..", "store"),
            Map.entry("org.flywaydb..", "store"),
            Map.entry("java.sql..", "store"),
            Map.entry("io.quarkus.qute..", "web"),
            Map.entry("com.github.difflib..", "web"),
            Map.entry("io.quarkus.oidc..", "web"),
            Map.entry("io.quarkus.security..", "web"),
            Map.entry("org.everit..", "schema"),
            Map.entry("com.google.re2j..", "schema"),
            Map.entry("com.sun.net.httpserver..", "cli"),
            Map.entry("org.apache.commons.compress..", "embedded"),
            Map.entry("com.cronutils..", "schedule"),
            Map.entry("org.snakeyaml..", "cli"),
            Map.entry("io.lettuce..", "dispatch"),
            Map.entry("io.opentelemetry..", "observe.trace"),
            Map.entry("javax.crypto..", "secret"));

    @Test
    void layersUseOnlyWhatTheTableAllows() {
        MAY_USE.forEach((layer, allowed) -> {
            var others = MAY_USE.keySet().stream()
                    .filter(other -> !other.equals(layer) && !allowed.contains(other))
                    .map(other -> ROOT + "." + other + "..")
                    .toArray(String[]::new);
            noClasses()
                    .that(resideInAPackage(ROOT + "." + layer + ".."))
                    .should()
                    .dependOnClassesThat(resideInAnyPackage(others))
                    .orShould()
                    .dependOnClassesThat(resideInAPackage(ROOT))
                    .allowEmptyShould(false)
                    .check(CLASSES);
        });
    }

    @Test
    void partsOfALayerUseOnlyWhatTheTableAllows() {
        WITHIN_LAYER.forEach((part, allowed) -> {
            var layer = part.replaceAll("\\..*", "");
            var others = packages().stream()
                    .filter(other -> other.equals(layer) || other.startsWith(layer + "."))
                    .filter(other -> !other.equals(part) && !allowed.contains(other))
                    .map(other -> ROOT + "." + other)
                    .toArray(String[]::new);
            noClasses()
                    .that(resideInAPackage(ROOT + "." + part))
                    .should()
                    .dependOnClassesThat(resideInAnyPackage(others))
                    .allowEmptyShould(false)
                    .check(CLASSES);
        });
    }

    /** Whoever asks for a job on another way than HTTP needs no HTTP. */
    @Test
    void theRestApiIsUsedByNoneOfTheOtherWaysIn() {
        noClasses()
                .that(resideInAnyPackage(ROOT + ".kafka..", ROOT + ".job..", ROOT + ".request.."))
                .should()
                .dependOnClassesThat(resideInAPackage(ROOT + ".api.."))
                .check(CLASSES);
    }

    @Test
    void everyPackageBelongsToALayerOfTheTableAndIsNarrow() {
        var layers = new TreeSet<String>();
        packages().forEach(name -> layers.add(name.replaceAll("\\..*", "")));

        assertThat(layers).containsExactlyElementsOf(new TreeSet<>(MAY_USE.keySet()));
        packages()
                .forEach(name -> assertThat(CLASSES.stream()
                                .filter(type -> type.getPackageName().equals(ROOT + "." + name))
                                .filter(type -> type.isTopLevelClass())
                                .count())
                        .as(name)
                        .isLessThanOrEqualTo(MAX_FILES + 1));
    }

    /** It may give its item before it tells of the subscription; {@link Once} may not. */
    @Test
    void memoizeIsCalledInOnePlaceAlone() {
        noClasses()
                .that()
                .doNotBelongToAnyOf(Once.class)
                .should()
                .callMethod(Uni.class, "memoize")
                .check(CLASSES);
    }

    /** What a command sets reaches the configuration through {@code config.SettingSources}. */
    @Test
    void noSystemPropertyIsSet() {
        noClasses()
                .should()
                .callMethod(System.class, "setProperty", String.class, String.class)
                .check(CLASSES);
    }

    private static Set<String> packages() {
        var packages = new TreeSet<String>();
        CLASSES.forEach(type -> packages.add(type.getPackageName()));
        packages.remove(ROOT);
        return packages.stream()
                .map(name -> name.substring(ROOT.length() + 1))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    @Test
    void packagesFormNoCycle() {
        slices().matching(ROOT + ".(**)").should().beFreeOfCycles().check(CLASSES);
    }

    @Test
    void layersFormNoCycle() {
        slices().matching(ROOT + ".(*)..").should().beFreeOfCycles().check(CLASSES);
    }

    @Test
    void everyLibraryHasOneHome() {
        HOMES.forEach((library, home) -> noClasses()
                .that(resideInAPackage(ROOT + ".."))
                .and()
                .resideOutsideOfPackage(ROOT + "." + home + "..")
                .should()
                .dependOnClassesThat(resideInAPackage(library))
                .allowEmptyShould(false)
                .check(CLASSES));
    }

    /** Deliveries go to anybody's brokers, and topics of our own come from the settings. */
    @Test
    void onlyDispatchAndKafkaSpeakToKafka() {
        noClasses()
                .that()
                .resideOutsideOfPackages(ROOT + ".dispatch..", ROOT + ".kafka..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("org.apache.kafka..")
                .check(CLASSES);
    }

    /** The API uses the same library's server side; the collector of traces is the operator's. */
    @Test
    void onlyDispatchCallsReceivers() {
        noClasses()
                .that()
                .resideOutsideOfPackages(ROOT + ".dispatch..", ROOT + ".observe.trace..")
                .should()
                .dependOnClassesThat()
                .haveNameMatching("io\\.vertx\\.core\\.http\\.(HttpClient|RequestOptions).*")
                .check(CLASSES);
    }

    /** The command line speaks to a server of ours, for which the client of the JDK is enough. */
    @Test
    void onlyTheCommandLineUsesTheHttpClientOfTheJdk() {
        noClasses()
                .that()
                .resideOutsideOfPackage(ROOT + ".cli..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("java.net.http..")
                .check(CLASSES);
    }

    /** A resource method that is not public is skipped with a warning, and its route is silently missing. */
    @Test
    void methodsOfResourcesArePublic() {
        methods()
                .that()
                .areMetaAnnotatedWith(HttpMethod.class)
                .should()
                .bePublic()
                .check(CLASSES);
    }

    /**
     * By default, the {@code Uni} of a request is cancelled when its connection closes. What it has sent to the
     * database is carried out all the same, but nothing that follows: changes in memory, signals, the entry in the
     * audit log. What a request for leases has claimed is handed back instead.
     */
    @Test
    void whatWritesGoesOnWhenItsClientHasGone() {
        var cancelled = CLASSES.stream()
                .flatMap(type -> type.getMethods().stream())
                .filter(method -> method.isMetaAnnotatedWith(HttpMethod.class) && !method.isAnnotatedWith(GET.class))
                .filter(method -> method.tryGetAnnotationOfType(Cancellable.class)
                        .or(() -> method.getOwner().tryGetAnnotationOfType(Cancellable.class))
                        .map(Cancellable::value)
                        .orElse(true))
                .map(JavaMethod::getFullName)
                .map(name -> name.replaceAll("\\(.*", ""));

        assertThat(cancelled).containsExactly(ROOT + ".api.lease.LeaseResource.lease");
    }

    @Test
    void namesSayADuty() {
        noClasses()
                .should()
                .haveNameMatching(".*(Util|Utils|Helper|Helpers|Manager|Impl)")
                .check(CLASSES);
    }

    @Test
    void everyPackageSaysWhatItIsForAndHasBothAnnotations() {
        Stream.concat(Stream.of(ROOT), packages().stream().map(name -> ROOT + "." + name))
                .forEach(name -> assertThat(Path.of("src/main/java", name.replace('.', '/'), "package-info.java"))
                        .content()
                        .matches("(?s)/\\*\\*\\s.*\\w.*\\*/\n@NullMarked\n@CheckReturnValue\npackage .*"));
    }
}
