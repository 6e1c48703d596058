package io.taskexec.cli.client;

import com.fasterxml.jackson.databind.JsonNode;
import io.taskexec.cli.text.MalformedTextException;
import io.taskexec.cli.text.YamlDocument;
import io.taskexec.cli.text.YamlReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The named servers in the user's configuration. The address and the key come from the same place, unless an option
 * overrides one: the key of one server must not go to another.
 */
record Profiles(YamlDocument document) {
    private static final Set<String> FIELDS = Set.of("default", "profiles");
    private static final Set<String> PROFILE_FIELDS = Set.of("url", "token", "token_file");
    private static final Set<PosixFilePermission> OTHERS_ACCESS = EnumSet.of(
            PosixFilePermission.GROUP_READ,
            PosixFilePermission.GROUP_WRITE,
            PosixFilePermission.OTHERS_READ,
            PosixFilePermission.OTHERS_WRITE);

    /** Reads {@code taskexec/config.yaml} below XDG_CONFIG_HOME or ~/.config. */
    static Profiles ofUser(Map<String, String> environment) throws MalformedTextException {
        var folder = environment.get("XDG_CONFIG_HOME");
        var home = environment.get("HOME");
        if (folder == null || folder.isEmpty()) {
            return home == null ? none() : read(Path.of(home, ".config", "taskexec", "config.yaml"));
        }
        return read(Path.of(folder, "taskexec", "config.yaml"));
    }

    /** Reads a file, which may be missing. */
    static Profiles read(Path file) throws MalformedTextException {
        if (!Files.exists(file)) {
            return none();
        }
        try {
            var documents = YamlReader.read(file.toString(), Files.readString(file));
            if (documents.isEmpty()) {
                return none();
            }
            var profiles = new Profiles(documents.getFirst());
            profiles.check(file);
            return profiles;
        } catch (IOException _) {
            throw new MalformedTextException("The file " + file + " cannot be read.");
        }
    }

    private static Profiles none() {
        return new Profiles(YamlDocument.nowhere());
    }

    private void check(Path file) throws MalformedTextException, IOException {
        checkFields(document.tree(), "", FIELDS);
        var hasToken = false;
        for (var profile : document.tree().path("profiles").properties()) {
            checkFields(profile.getValue(), "/profiles/" + YamlDocument.escape(profile.getKey()), PROFILE_FIELDS);
            hasToken |= profile.getValue().has("token");
        }
        if (hasToken && isReadByOthers(file)) {
            throw new MalformedTextException(
                    "The file %s has keys in it, and others may read it: chmod 600 %s".formatted(file, file));
        }
    }

    private void checkFields(JsonNode object, String pointer, Set<String> known) throws MalformedTextException {
        if (!object.isObject()) {
            throw new MalformedTextException(document.at(pointer) + ": An object is expected here.");
        }
        for (var field : object.properties()) {
            var place = document.at(pointer + "/" + YamlDocument.escape(field.getKey()));
            if (!known.contains(field.getKey())) {
                throw new MalformedTextException(place + ": Unknown field '" + field.getKey() + "'.");
            }
            if (!pointer.isEmpty() && !field.getValue().isTextual()) {
                throw new MalformedTextException(place + ": '" + field.getKey() + "' must be a string.");
            }
        }
    }

    private static boolean isReadByOthers(Path file) throws IOException {
        // Other file systems have no such permissions.
        if (!Files.getFileStore(file).supportsFileAttributeView("posix")) {
            return false;
        }
        return Files.getPosixFilePermissions(file).stream().anyMatch(OTHERS_ACCESS::contains);
    }

    /**
     * Selects the server.
     *
     * @param url the URL of the command line, which overrides all others
     * @param profile the profile of the command line, which overrides the variables
     */
    ServerTarget target(@Nullable String url, @Nullable String profile, Map<String, String> environment)
            throws MalformedTextException {
        var chosen = profile != null ? profile : environment.get("TE_PROFILE");
        var variableUrl = environment.get("TE_URL");
        var variableToken = environment.get("TE_TOKEN");
        if (chosen == null && url == null && variableUrl == null && variableToken == null) {
            chosen = document.tree().path("default").textValue();
        }
        if (chosen == null || chosen.isEmpty()) {
            return new ServerTarget(first(url, variableUrl), variableToken, null);
        }
        var found = document.tree().path("profiles").path(chosen);
        if (!found.isObject()) {
            throw new MalformedTextException("There is no profile '%s' in %s."
                    .formatted(chosen, document.file().isEmpty() ? "~/.config/taskexec/config.yaml" : document.file()));
        }
        var file = found.path("token_file").textValue();
        return new ServerTarget(
                first(url, found.path("url").textValue()),
                found.path("token").textValue(),
                file == null ? null : Path.of(file));
    }

    private static String first(@Nullable String given, @Nullable String fallback) {
        return given != null ? given : fallback != null ? fallback : ServerTarget.DEFAULT_URL;
    }
}
