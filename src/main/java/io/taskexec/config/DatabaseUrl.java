package io.taskexec.config;

import io.taskexec.store.sql.DatabaseProbe;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A PostgreSQL URL in parts, since the two drivers want it in different forms.
 *
 * @param target host, port, database and parameters, without user and password
 */
public record DatabaseUrl(String user, String password, String target) {
    private static final String EXPECTED =
            "TE_DATABASE_URL must look like postgresql://user:password@host:5432/database.";
    private static final String DEFAULT_PORT = "5432";
    private static final int MAX_PORT = 65_535;

    /** The modes of TLS that both drivers have. */
    private static final List<String> MODES =
            List.of("disable", "allow", "prefer", "require", "verify-ca", "verify-full");

    /** User, host and port. To a URI, a name with '_', as Docker gives them, is no host. */
    private static final Pattern AUTHORITY = Pattern.compile("([^@]+)@([\\w.-]+|\\[[^\\]]+]):?(\\d{0,5})");

    public static DatabaseUrl parse(String text) {
        try {
            var uri = new URI(text);
            var isPostgres = "postgresql".equals(uri.getScheme()) || "postgres".equals(uri.getScheme());
            var authority = AUTHORITY.matcher(String.valueOf(uri.getRawAuthority()));
            if (!isPostgres || !authority.matches() || uri.getPath().length() < 2) {
                throw new StartRefusedException(EXPECTED);
            }
            var user = authority.group(1).split(":", 2);
            var port = authority.group(3).isEmpty() ? DEFAULT_PORT : authority.group(3);
            if (Integer.parseInt(port) > MAX_PORT) {
                throw new StartRefusedException(
                        "TE_DATABASE_URL has the port %s, and there is none above %d.".formatted(port, MAX_PORT));
            }
            checkParameters(uri.getRawQuery());
            var query = uri.getRawQuery() == null ? "" : "?" + uri.getRawQuery();
            return new DatabaseUrl(
                    decode(user[0]),
                    user.length == 1 ? "" : decode(user[1]),
                    authority.group(2) + ":" + port + uri.getRawPath() + query);
        } catch (URISyntaxException _) {
            // The parser's message would quote the password.
            throw new StartRefusedException(EXPECTED);
        }
    }

    /** Both drivers pass over what they do not know: a misspelt {@code sslmode} would connect without TLS. */
    private static void checkParameters(@Nullable String query) {
        if (query == null) {
            return;
        }
        var known = DatabaseProbe.parameters();
        for (var parameter : query.split("&", -1)) {
            if (parameter.isEmpty()) {
                continue;
            }
            var parts = parameter.split("=", 2);
            var name = decode(parts[0]);
            if (!known.contains(name)) {
                throw new StartRefusedException(
                        "TE_DATABASE_URL has the parameter '%s', which the driver for PostgreSQL does not know."
                                .formatted(name));
            }
            if (name.equals("sslmode")) {
                checkMode(parts.length == 1 ? "" : parts[1]);
            }
        }
    }

    private static void checkMode(String mode) {
        if (!MODES.contains(mode)) {
            throw new StartRefusedException("TE_DATABASE_URL has the sslmode '%s', which must be one of %s."
                    .formatted(mode, String.join(", ", MODES)));
        }
    }

    public String jdbc() {
        return "jdbc:postgresql://" + target;
    }

    /** The properties that tell both drivers. */
    public Map<String, String> asProperties() {
        return Map.of(
                "quarkus.datasource.username",
                user,
                "quarkus.datasource.password",
                password,
                "quarkus.datasource.jdbc.url",
                jdbc(),
                "quarkus.datasource.reactive.url",
                "postgresql://" + target);
    }

    private static String decode(String part) {
        // A plus is a plus in the user part of a URL, not a space.
        return URLDecoder.decode(part.replace("+", "%2B"), StandardCharsets.UTF_8);
    }
}
