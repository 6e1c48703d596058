package io.taskexec;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.methods;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The table of packages in CONTRIBUTING.md as rules. */
class ArchitectureTest {
    private static final String ROOT = "io.taskexec";

    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages(ROOT);

    /** What each package may use of ours; the root, which composes them, may use everything. */
    private static final Map<String, List<String>> MAY_USE = Map.ofEntries(
            Map.entry("model", List.of()),
            Map.entry("metrics", List.of("model")),
            Map.entry("store", List.of("model", "metrics")),
            Map.entry("schedule", List.of("model")),
            Map.entry("template", List.of("model")),
            Map.entry("schema", List.of("model")),
            Map.entry("secret", List.of()),
            Map.entry(
                    "api",
                    List.of(
                            "model",
                            "metrics",
                            "store",
                            "schedule",
                            "schema",
                            "template",
                            "secret",
                            "loop",
                            "log",
                            "trace")),
            Map.entry("connection", List.of("model")),
            Map.entry("stream", List.of("model", "store", "loop", "api")),
            Map.entry("resolve", List.of("model", "store", "template", "secret")),
            Map.entry("dispatch", List.of("model", "secret")),
            Map.entry("worker", List.of("model", "metrics", "store", "resolve", "dispatch", "loop", "log", "trace")),
            Map.entry("scheduler", List.of("model", "metrics", "store", "schedule", "loop", "log", "check")),
            // Both a command and the scheduler look, and ticks can only be computed with schedules.
            Map.entry("check", List.of("model", "store", "schedule")),
            Map.entry("region", List.of("model", "store", "loop")),
            Map.entry("loop", List.of("model")),
            Map.entry("log", List.of("model")),
            Map.entry("trace", List.of("model", "loop")),
            // Schedules are explained, and signatures checked, on the command line too, where there is no server to
            // ask.
            Map.entry("cli", List.of("model", "schedule", "secret", "cli.text", "cli.noun", "cli.apply", "cli.live")),
            // What is within a package may use it, by this table.
            Map.entry("cli.text", List.of("model", "cli")),
            Map.entry("cli.noun", List.of("model", "cli", "cli.text")),
            Map.entry("cli.apply", List.of("model", "cli", "cli.text")),
            Map.entry("cli.live", List.of("model", "cli", "cli.text")),
            // Secrets change their key on the way.
            Map.entry("transfer", List.of("model", "store", "secret")),
            Map.entry("embedded", List.of()));

    /** Libraries that one package alone may use. */
    private static final Map<String, String> HOMES = Map.ofEntries(
            Map.entry("io.vertx..sqlclient..", "store"),
            Map.entry("io.vertx..pgclient..", "store"),
            Map.entry("org.flywaydb..", "store"),
            Map.entry("java.sql..", "store"),
            Map.entry("org.everit..", "schema"),
            Map.entry("com.google.re2j..", "schema"),
            Map.entry("com.sun.net.httpserver..", "cli"),
            Map.entry("org.apache.commons.compress..", "embedded"),
            Map.entry("com.cronutils..", "schedule"),
            Map.entry("org.yaml..", "cli"),
            Map.entry("io.lettuce..", "dispatch"),
            Map.entry("javax.crypto..", "secret"));

    @Test
    void packagesUseOnlyWhatTheTableAllows() {
        MAY_USE.forEach((name, allowed) -> {
            var others = MAY_USE.keySet().stream()
                    .filter(other -> !other.equals(name) && !allowed.contains(other))
                    .map(other -> ROOT + "." + other + "..")
                    .toArray(String[]::new);
            noClasses()
                    .that(resideInAPackage(ROOT + "." + name + ".."))
                    .should()
                    .dependOnClassesThat(resideInAnyPackage(others))
                    .orShould()
                    .dependOnClassesThat(resideInAPackage(ROOT))
                    .allowEmptyShould(false)
                    .check(CLASSES);
        });
    }

    @Test
    void onTheCommandLineTextsKnowNoCommandsAndCommandsNoNouns() {
        noClasses()
                .that(resideInAPackage(ROOT + ".cli.text"))
                .should()
                .dependOnClassesThat(resideInAnyPackage(ROOT + ".cli"))
                .check(CLASSES);
        noClasses()
                .that(resideInAPackage(ROOT + ".cli"))
                .should()
                .dependOnClassesThat(resideInAnyPackage(ROOT + ".cli.noun", ROOT + ".cli.apply", ROOT + ".cli.live"))
                .check(CLASSES);
    }

    @Test
    void everyPackageIsInTheTable() {
        var packages = new TreeSet<String>();
        CLASSES.forEach(type -> packages.add(type.getPackageName()));
        packages.remove(ROOT);

        assertThat(packages)
                .containsExactlyElementsOf(MAY_USE.keySet().stream()
                        .map(name -> ROOT + "." + name)
                        .sorted()
                        .toList());
    }

    @Test
    void packagesFormNoCycle() {
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
    void onlyDispatchAndStreamSpeakToKafka() {
        noClasses()
                .that()
                .resideOutsideOfPackages(ROOT + ".dispatch..", ROOT + ".stream..")
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
                .resideOutsideOfPackages(ROOT + ".dispatch..", ROOT + ".trace..")
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
                .areMetaAnnotatedWith(jakarta.ws.rs.HttpMethod.class)
                .should()
                .bePublic()
                .check(CLASSES);
    }

    @Test
    void namesSayADuty() {
        noClasses()
                .should()
                .haveNameMatching(".*(Util|Utils|Helper|Helpers|Manager|Impl)")
                .check(CLASSES);
    }

    @Test
    void everyPackageSaysWhatItIsForAndIsNullMarked() {
        Stream.concat(Stream.of(ROOT), MAY_USE.keySet().stream().map(name -> ROOT + "." + name))
                .forEach(name -> assertThat(
                                CLASSES.getPackage(name).isAnnotatedWith(org.jspecify.annotations.NullMarked.class))
                        .as(name)
                        .isTrue());
    }
}
