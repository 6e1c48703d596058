package io.taskexec.config;

import io.taskexec.store.sql.Connections;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A PostgreSQL URL in parts, since the two drivers want it in different forms.
 *
 * @param target host, port, database and parameters, without user and password
 * @param rootCertificate the file with the certificates of the authorities that may vouch for the server; null where
 * its certificate is not checked
 */
public record DatabaseUrl(
        String user,
        String password,
        String target,
        @Nullable String rootCertificate) {
    private static final String EXPECTED =
            "TE_DATABASE_URL must look like postgresql://user:password@host:5432/database.";
    private static final String DEFAULT_PORT = "5432";
    private static final int MAX_PORT = 65_535;

    /** The modes of TLS that both drivers have. */
    private static final List<String> MODES =
            List.of("disable", "allow", "prefer", "require", "verify-ca", "verify-full");

    private static final String REQUIRE = "require";
    private static final String VERIFY_CA = "verify-ca";

    /** The modes in which the certificate of the server is checked. */
    private static final Set<String> VERIFYING = Set.of(VERIFY_CA, "verify-full");

    private static final String BEGIN = "-----BEGIN CERTIFICATE-----";
    private static final String MODE = "sslmode";
    private static final String ROOT_CERTIFICATE = "sslrootcert";

    /** The parameters that both drivers have, and the one of which the program tells the second driver. */
    private static final List<String> KNOWN = List.of(MODE, ROOT_CERTIFICATE, "options");

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
            var parameters = checkedParameters(uri.getRawQuery());
            var rootCertificate = rootCertificate(parameters);
            var query = uri.getRawQuery() == null ? "" : "?" + uri.getRawQuery();
            if (rootCertificate != null && REQUIRE.equals(parameters.get(MODE))) {
                // As it is for PostgreSQL's own programs; the driver for migrations would check nothing.
                query = query.replace(MODE + "=" + REQUIRE, MODE + "=" + VERIFY_CA);
            }
            return new DatabaseUrl(
                    decode(user[0]),
                    user.length == 1 ? "" : decode(user[1]),
                    authority.group(2) + ":" + port + uri.getRawPath() + query,
                    rootCertificate);
        } catch (URISyntaxException _) {
            // The parser's message would quote the password.
            throw new StartRefusedException(EXPECTED);
        }
    }

    /**
     * The parameters, with values as they are written. Both drivers pass over what they do not know: a misspelt
     * {@code sslmode} would connect without TLS, and with {@code currentSchema} migrations would make their tables
     * where all else does not look for them.
     */
    private static Map<String, String> checkedParameters(@Nullable String query) {
        var parameters = new HashMap<String, String>();
        if (query == null) {
            return parameters;
        }
        for (var parameter : query.split("&", -1)) {
            if (parameter.isEmpty()) {
                continue;
            }
            var parts = parameter.split("=", 2);
            // As it is written: the drivers do not decode names.
            var name = parts[0];
            if (!KNOWN.contains(name)) {
                throw new StartRefusedException(("TE_DATABASE_URL has the parameter '%s', which must be one of %s:"
                                + " all connections but those for migrations would pass over another one.")
                        .formatted(name, String.join(", ", KNOWN)));
            }
            var value = parts.length == 1 ? "" : parts[1];
            if (name.equals(MODE)) {
                checkMode(value);
            }
            parameters.put(name, value);
        }
        return parameters;
    }

    private static @Nullable String rootCertificate(Map<String, String> parameters) {
        var mode = parameters.getOrDefault(MODE, "");
        var value = parameters.get(ROOT_CERTIFICATE);
        if (value == null) {
            if (VERIFYING.contains(mode)) {
                throw new StartRefusedException(
                        "TE_DATABASE_URL has the sslmode '%s', which needs sslrootcert, a file in PEM."
                                .formatted(mode));
            }
            return null;
        }
        if (!VERIFYING.contains(mode) && !mode.equals(REQUIRE)) {
            throw new StartRefusedException(
                    "TE_DATABASE_URL has sslrootcert, which needs the sslmode require, verify-ca or verify-full.");
        }
        var file = URLDecoder.decode(value, StandardCharsets.UTF_8);
        checkCertificates(file);
        return file;
    }

    /** Refused at once: a wrong file stays wrong, so the start must not wait for it as for an outage. */
    private static void checkCertificates(String file) {
        try {
            var pem = Files.readString(Path.of(file));
            var certificates = CertificateFactory.getInstance("X.509")
                    .generateCertificates(new ByteArrayInputStream(pem.getBytes(StandardCharsets.UTF_8)));
            if (pem.contains(BEGIN) && !certificates.isEmpty()) {
                return;
            }
        } catch (IOException | InvalidPathException | CertificateException _) {
            // The sentence below says enough.
        }
        throw new StartRefusedException(
                "TE_DATABASE_URL has the sslrootcert '%s', which cannot be read as certificates in PEM."
                        .formatted(file));
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
        var properties = new HashMap<String, String>();
        properties.put("quarkus.datasource.username", user);
        properties.put("quarkus.datasource.password", password);
        properties.put("quarkus.datasource.jdbc.url", jdbc());
        properties.put("quarkus.datasource.reactive.url", "postgresql://" + target);
        if (rootCertificate != null) {
            properties.put(Connections.ROOT_CERTIFICATE, rootCertificate);
        }
        return properties;
    }

    private static String decode(String part) {
        // A plus is a plus in the user part of a URL, not a space.
        return URLDecoder.decode(part.replace("+", "%2B"), StandardCharsets.UTF_8);
    }
}
