package io.taskexec.examples.cloudillo.federation;

import io.taskexec.client.worker.PermanentException;
import java.net.URI;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * Knows where the API of an identity is: at {@code https://cl-o.IDENTITY}, or where this machine is told.
 *
 * @param known addresses by identities, for several instances on one machine
 */
public record Hosts(Map<String, URI> known) {
    private static final int MAX_CHARACTERS = 100;
    private static final Pattern LABEL = Pattern.compile("[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?");

    /** Copies the addresses. */
    public Hosts {
        known = Map.copyOf(known);
    }

    /**
     * Tells whether this is an identity: a domain name of two labels or more in small letters, and no address of a
     * network, as its last label is no number.
     */
    public static boolean isIdentity(String text) {
        var labels = text.split("\\.", -1);
        if (labels.length < 2 || text.length() > MAX_CHARACTERS) {
            return false;
        }
        for (var label : labels) {
            if (!LABEL.matcher(label).matches()) {
                return false;
            }
        }
        return !Character.isDigit(labels[labels.length - 1].charAt(0));
    }

    /**
     * Returns the address of a resource.
     *
     * @param path from {@code /} on
     * @throws PermanentException when this is no identity
     */
    URI resolve(String identity, String path) {
        if (!isIdentity(identity)) {
            throw new PermanentException("This is no identity: " + identity, "INVALID_IDENTITY", null);
        }
        var base = known.get(identity);
        return (base == null ? URI.create("https://cl-o." + identity) : base).resolve(path);
    }
}
