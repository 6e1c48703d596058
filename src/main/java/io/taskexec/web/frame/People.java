package io.taskexec.web.frame;

import io.taskexec.api.web.Caller;
import io.taskexec.api.web.OidcConfig;
import io.taskexec.model.audit.KeyScope;
import io.taskexec.secret.SignedTexts;
import io.taskexec.secret.SignedTexts.Use;
import jakarta.inject.Singleton;
import java.util.Arrays;
import java.util.Collection;
import java.util.EnumSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Knows the people who logged in at the identity provider, and what their groups may do. */
@Singleton
final class People {
    /** Precedes names in the audit log, and ids: no key can be called so. */
    static final String PREFIX = "person:";

    private static final int PARTS = 5;
    private static final int MOST_NAME = 80;
    /** As OpenID Connect has it. */
    private static final int MOST_SUBJECT = 255;

    private static final Pattern HIDDEN = Pattern.compile("[\\s\\p{Cntrl}\\p{Cf}]");

    private final SignedTexts texts;
    private final Map<String, Set<KeyScope>> byGroup;
    private final String terms;

    People(OidcConfig config, SignedTexts texts) {
        this.texts = texts;
        this.byGroup = config.issuer().isPresent() ? config.checked() : Map.of();
        this.terms = "%s %s %s %s".formatted(config.issuer(), config.clientId(), config.claim(), config.scopes());
    }

    /** Returns a person with the scopes of the groups; empty when these give none. */
    Optional<Caller> of(String subject, String name, Collection<String> groups) {
        var scopes = Stream.concat(Stream.of(OidcConfig.ALL), groups.stream())
                .flatMap(group -> byGroup.getOrDefault(group, Set.of()).stream())
                .collect(Collectors.toCollection(() -> EnumSet.noneOf(KeyScope.class)));
        return scopes.isEmpty() || subject.length() > MOST_SUBJECT
                ? Optional.empty()
                : Optional.of(caller(subject, shown(name), scopes));
    }

    /** Whether it is a person, and not a key. */
    static boolean isPerson(Caller caller) {
        return caller.name().startsWith(PREFIX);
    }

    /** The text by which {@link #again} finds a person; no secret. */
    String idOf(Caller person) {
        var scopes = person.scopes().stream().map(KeyScope::name).collect(Collectors.joining(","));
        return String.join(
                " ", PREFIX, texts.mark(Use.PERSON, terms), scopes, String.valueOf(person.keyId()), person.name());
    }

    /** Whether it is the id of a person. */
    static boolean isId(String id) {
        return id.startsWith(PREFIX);
    }

    /** Returns the person that had this id; empty when the settings have changed since. */
    Optional<Caller> again(String id) {
        var parts = id.split(" ", PARTS);
        if (byGroup.isEmpty() || parts.length < PARTS || !texts.isMark(Use.PERSON, terms, parts[1])) {
            return Optional.empty();
        }
        var scopes =
                Arrays.stream(parts[2].split(",", -1)).map(KeyScope::valueOf).collect(Collectors.toSet());
        return Optional.of(new Caller(parts[4], parts[3], scopes));
    }

    private static Caller caller(String subject, String name, Set<KeyScope> scopes) {
        return new Caller(PREFIX + name, PREFIX + HIDDEN.matcher(subject).replaceAll("_"), scopes);
    }

    /** The name as logs and pages may have it. */
    private static String shown(String name) {
        var line = HIDDEN.matcher(name).replaceAll(" ").replaceAll(" +", " ").strip();
        return line.substring(
                0, line.offsetByCodePoints(0, Math.min(MOST_NAME, line.codePointCount(0, line.length()))));
    }
}
