package io.taskexec.model.wait;

import java.net.IDN;
import java.net.URI;
import java.util.Locale;
import java.util.regex.Pattern;

/** The origin of a URL (RFC 6454). */
public record Origin(String scheme, String host, int port) {
    /** {@link URI#getHost} knows neither underscores, which names inside a cluster have, nor letters beyond ASCII. */
    private static final Pattern OTHER_NAME = Pattern.compile("([^\\[\\]:@%]+)(?::(\\d{1,5}))?");

    /** The origin of an absolute URL with a host; throws IllegalArgumentException for another one. */
    public static Origin of(URI url) {
        if (url.getScheme() == null || url.getRawAuthority() == null) {
            throw new IllegalArgumentException("must be an absolute URL");
        }
        var scheme = url.getScheme().toLowerCase(Locale.ROOT);
        if (url.getHost() != null) {
            return of(scheme, url.getHost(), url.getPort());
        }
        var other = OTHER_NAME.matcher(url.getRawAuthority());
        if (!other.matches()) {
            throw new IllegalArgumentException("must have a host, and may have a port");
        }
        return of(scheme, IDN.toASCII(other.group(1)), other.group(2) == null ? -1 : Integer.parseInt(other.group(2)));
    }

    private static Origin of(String scheme, String host, int port) {
        var usual = "https".equals(scheme) ? 443 : 80;
        return new Origin(scheme, host.toLowerCase(Locale.ROOT), port >= 0 ? port : usual);
    }

    /** As a URL, always with its port. */
    @Override
    public String toString() {
        return "%s://%s:%d".formatted(scheme, host, port);
    }
}
