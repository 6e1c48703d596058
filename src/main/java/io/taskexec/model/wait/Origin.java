package io.taskexec.model.wait;

import java.net.URI;
import java.util.Locale;

/** The origin of a URL (RFC 6454). */
public record Origin(String scheme, String host, int port) {
    /** The origin of an absolute URL with a host; throws IllegalArgumentException for another one. */
    public static Origin of(URI url) {
        if (url.getScheme() == null || url.getHost() == null) {
            throw new IllegalArgumentException("must be an absolute URL");
        }
        var scheme = url.getScheme().toLowerCase(Locale.ROOT);
        var port = url.getPort() >= 0 ? url.getPort() : "https".equals(scheme) ? 443 : 80;
        return new Origin(scheme, url.getHost().toLowerCase(Locale.ROOT), port);
    }
}
