package io.taskexec.config;

import io.smallrye.config.ConfigValidationException;
import io.smallrye.config.EnvConfigSource;
import io.smallrye.config.SmallRyeConfig;
import io.smallrye.config.SmallRyeConfigBuilder;
import io.smallrye.config.SysPropConfigSource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import org.eclipse.microprofile.config.spi.ConfigSource;
import org.jspecify.annotations.Nullable;

/**
 * Reads and checks every setting before anything starts, so that a wrong one costs a sentence and not a stack trace.
 */
public final class Settings {
    private static final Pattern BAD_VALUE = Pattern.compile(
            "property ((?:te|otel)\\.\\S+) with the config value \"(.*?)\" threw.*?(?:SRCFG\\d+: )([^\\n]*)$");

    private static final Pattern EMPTY_VALUE =
            Pattern.compile("property ((?:te|otel)\\.\\S+) is defined as the empty String");

    private final SmallRyeConfig config;
    private final List<KnownSetting> known;
    private final ConfigSource command;
    private final ConfigSource files;

    private Settings(List<KnownSetting> known, ConfigSource command, ConfigSource files) {
        this.known = known;
        this.command = command;
        this.files = files;
        this.config = SettingSources.with(command, files).call(Settings::build);
    }

    /**
     * Reads the settings; throws {@link StartRefusedException} for the first that cannot be used.
     *
     * @param ofCommand what the command has set itself, by the names of properties
     */
    public static Settings read(Map<String, String> ofCommand) {
        var known = KnownSettings.all();
        var files = new HashMap<String, String>();
        known.stream()
                // A production database must not become the one of `dev`, which sets its own.
                .filter(one -> one.about().file() && !ofCommand.containsKey(one.property()))
                .forEach(one -> readFile(one, files));
        var settings = new Settings(known, SettingSources.ofCommand(ofCommand), SettingSources.ofFiles(files));
        known.forEach(one -> one.check(settings.of(one.mapping())));
        return settings;
    }

    /** Runs a task whose configuration is made of these settings, and of others that follow from them. */
    public void during(Map<String, String> derived, Runnable task) {
        SettingSources.with(SettingSources.ofCommand(derived), command, files).run(task);
    }

    private static SmallRyeConfig build() {
        var builder = new SmallRyeConfigBuilder()
                .withCustomizers(new SettingSources())
                .addDefaultInterceptors()
                .withDefaultValue("quarkus.application.version", Version.number())
                .withValidateUnknown(false);
        KnownSettings.INTERFACES.forEach(builder::withMapping);
        try {
            return builder.build();
        } catch (ConfigValidationException e) {
            throw new StartRefusedException(sentence(e.getProblem(0).getMessage()));
        }
    }

    /** All settings that there are, in the order of their names. */
    List<KnownSetting> known() {
        return known;
    }

    public ServerConfig server() {
        return of(ServerConfig.class);
    }

    public <T> T of(Class<T> mapping) {
        return config.getConfigMapping(mapping);
    }

    /**
     * The value of a setting in this process.
     *
     * @param value as it may be shown, null when there is none
     */
    public record Effective(KnownSetting setting, @Nullable String value, Origin origin) {}

    /** The origin of a value. */
    public enum Origin {
        DEFAULT,
        ENVIRONMENT,
        FILE,
        OPTION
    }

    /** All settings as they take effect, in the order of their names. */
    public List<Effective> effective() {
        return known.stream()
                .map(one -> new Effective(one, shown(one), origin(one)))
                .toList();
    }

    private @Nullable String shown(KnownSetting setting) {
        var value = config.getConfigValue(setting.property()).getValue();
        return value == null || value.isEmpty() ? null : setting.shown(value);
    }

    /** Whether it is set, be it to its default. */
    boolean isGiven(KnownSetting setting) {
        return origin(setting) != Origin.DEFAULT;
    }

    private Origin origin(KnownSetting setting) {
        var source = config.getConfigValue(setting.property()).getSourceName();
        if (files.getName().equals(source)) {
            return Origin.FILE;
        }
        if (command.getName().equals(source) || SysPropConfigSource.NAME.equals(source)) {
            return Origin.OPTION;
        }
        return EnvConfigSource.NAME.equals(source) ? Origin.ENVIRONMENT : Origin.DEFAULT;
    }

    private static void readFile(KnownSetting setting, Map<String, String> files) {
        var file = System.getenv(setting.fileName());
        if (file == null) {
            return;
        }
        if (System.getenv(setting.name()) != null) {
            throw new StartRefusedException("Set %s or %s, not both.".formatted(setting.name(), setting.fileName()));
        }
        try {
            files.put(setting.property(), Files.readString(Path.of(file)).strip());
        } catch (IOException e) {
            throw new StartRefusedException("%s names '%s', which cannot be read.".formatted(setting.fileName(), file));
        }
    }

    private static String withoutJava(String reason) {
        var choices = reason.indexOf("allowed values: ");
        return choices < 0
                ? reason.replaceAll("\\.$", "")
                : reason.substring(choices).replace(",", ", ");
    }

    private static String sentence(String problem) {
        var empty = EMPTY_VALUE.matcher(problem);
        if (empty.find()) {
            return "%s is empty: set it, or leave it out for its default.".formatted(name(empty.group(1)));
        }
        var bad = BAD_VALUE.matcher(problem);
        return bad.find()
                ? "%s has the value '%s', which cannot be used: %s."
                        .formatted(name(bad.group(1)), bad.group(2), withoutJava(bad.group(3)))
                : problem;
    }

    private static String name(String property) {
        return property.replaceAll("\\[\\d+]$", "")
                .replace('.', '_')
                .replace('-', '_')
                .toUpperCase(Locale.ROOT);
    }
}
