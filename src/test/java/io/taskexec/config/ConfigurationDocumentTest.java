package io.taskexec.config;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import io.quarkus.runtime.annotations.RegisterForReflection;
import io.smallrye.config.ConfigMapping;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The tables of {@code docs/configuration.md} are what the interfaces of settings say. */
class ConfigurationDocumentTest {
    private static final Path PAGE = Path.of("docs/configuration.md");

    /** The settings of the first design. */
    private static final Set<String> OF_THE_FIRST_DESIGN = Set.of(
            "TE_CONFIG_CACHE_TTL_SEC",
            "TE_CRON_BATCH_SIZE",
            "TE_CRON_TICK_INTERVAL_SEC",
            "TE_DATABASE_URL",
            "TE_DB_POOL_SIZE",
            "TE_LISTEN_ADDR",
            "TE_PROMOTE_INTERVAL_MS",
            "TE_RECLAIM_INTERVAL_SEC",
            "TE_SECRET_CACHE_TTL_SEC",
            "TE_SECRET_ENCRYPTION_KEY",
            "TE_STUCK_EXECUTION_TIMEOUT_SEC",
            "TE_WORKER_MAX_CONCURRENT",
            "TE_WORKER_POLL_INTERVAL_MS",
            "TE_WORKER_SHUTDOWN_TIMEOUT_SEC");

    @Test
    void thePageIsWhatTheInterfacesSay() throws IOException {
        var page = Files.readString(PAGE);
        var generated = ConfigurationDocument.regenerated(page);
        if (Boolean.getBoolean("taskexec.docs.write")) {
            Files.writeString(PAGE, generated);
        } else {
            assertThat(page)
                    .as(
                            "%s is not what the @Setting annotations say. Write it anew:%n"
                                    + "  ./verify -Dtest=ConfigurationDocumentTest -DskipITs"
                                    + " -Dtaskexec.docs.write=true%n",
                            PAGE)
                    .isEqualTo(generated);
        }
    }

    @Test
    void everyInterfaceOfSettingsIsOnThePageAndKnown() throws IOException {
        var declared = new ClassFileImporter()
                .withImportOption(new ImportOption.DoNotIncludeTests()).importPackages("io.taskexec").stream()
                        .filter(type -> type.isAnnotatedWith(ConfigMapping.class))
                        .map(JavaClass::getName)
                        .toList();

        assertThat(KnownSettings.INTERFACES).extracting(Class::getName).containsExactlyInAnyOrderElementsOf(declared);
        assertThat(KnownSettings.class
                        .getAnnotation(RegisterForReflection.class)
                        .targets())
                .containsExactlyInAnyOrderElementsOf(KnownSettings.INTERFACES);
        assertThat(ConfigurationDocument.interfacesOn(Files.readString(PAGE)))
                .containsExactlyInAnyOrderElementsOf(KnownSettings.INTERFACES.stream()
                        .map(Class::getSimpleName)
                        .toList());
    }

    @Test
    void everySettingOfTheFirstDesignWorksOrHasAReasonNotTo() {
        var settings = KnownSettings.all().stream().map(KnownSetting::name);
        var unused = KnownSettings.UNUSED.keySet().stream();

        assertThat(Stream.concat(settings, unused).collect(Collectors.toSet())).containsAll(OF_THE_FIRST_DESIGN);
        assertThat(KnownSettings.all())
                .extracting(KnownSetting::name)
                .doesNotContainAnyElementsOf(KnownSettings.UNUSED.keySet());
    }
}
