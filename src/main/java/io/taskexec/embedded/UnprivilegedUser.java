package io.taskexec.embedded;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Lets PostgreSQL run for a user that it refuses (root, or a user without a name): words in front of every command,
 * and the user that its files must belong to.
 */
record UnprivilegedUser(List<String> prefix, String owner) {
    private static final Set<String> REFUSED_USERS = Set.of("root", "?");

    // A namespace without a mapping: PostgreSQL sees itself as another user, the kernel still sees us.
    private static final List<String> NAMESPACE = List.of("unshare", "-U");

    // Where namespaces are forbidden, as in many containers, it really becomes another user. It keeps the one
    // capability that lets it reach a data directory below a home that is closed to others; the last word makes
    // access(2), with which initdb looks for its programs, heed that capability too.
    private static final List<String> SWITCHED_USER = List.of(
            "setpriv",
            "--reuid=nobody",
            "--regid=65534",
            "--clear-groups",
            "--inh-caps=-all,+dac_override",
            "--ambient-caps=-all,+dac_override",
            "--securebits=+no_setuid_fixup");

    /** The form that this process needs. */
    static UnprivilegedUser detect() {
        var user = System.getProperty("user.name");
        if (!REFUSED_USERS.contains(user)) {
            return new UnprivilegedUser(List.of(), user);
        }
        if (worksAsSomebodyElse(NAMESPACE)) {
            return new UnprivilegedUser(NAMESPACE, user);
        }
        if (worksAsSomebodyElse(SWITCHED_USER)) {
            return new UnprivilegedUser(SWITCHED_USER, "nobody");
        }
        throw new EmbeddedDatabaseException("PostgreSQL does not run as " + user
                + ", and neither user namespaces (unshare -U) nor setpriv work here; start taskexec as a normal user.");
    }

    // initdb wants a user with a name, so the name is what is asked for.
    private static boolean worksAsSomebodyElse(List<String> prefix) {
        var answer = Command.run(Path.of("/"), words(prefix, List.of("id", "-un")));
        return answer.succeeded() && !REFUSED_USERS.contains(answer.output());
    }

    List<String> apply(List<String> command) {
        return words(prefix, command);
    }

    /** Hands {@code directory} over when it was last used in another disguise. */
    void own(Path directory) throws IOException {
        if (prefix.isEmpty() || Files.getOwner(directory).getName().equals(owner)) {
            return;
        }
        var principal =
                directory.getFileSystem().getUserPrincipalLookupService().lookupPrincipalByName(owner);
        try (var files = Files.walk(directory)) {
            for (var file : (Iterable<Path>) files::iterator) {
                var _ = Files.setOwner(file, principal);
            }
        }
    }

    private static List<String> words(List<String> prefix, List<String> command) {
        return Stream.concat(prefix.stream(), command.stream()).toList();
    }
}
