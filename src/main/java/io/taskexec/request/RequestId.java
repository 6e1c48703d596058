package io.taskexec.request;

import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.container.ContainerResponseContext;
import java.util.HexFormat;
import java.util.concurrent.ThreadLocalRandom;
import java.util.regex.Pattern;
import org.jboss.resteasy.reactive.server.ServerRequestFilter;
import org.jboss.resteasy.reactive.server.ServerResponseFilter;
import org.jspecify.annotations.Nullable;

/**
 * Assigns an id to every request, taken over from the client when it sends a sound one, and every response the same.
 */
public final class RequestId {
    public static final String HEADER = "X-Request-Id";

    private static final String PROPERTY = RequestId.class.getName();
    private static final HexFormat HEX = HexFormat.of();
    private static final Pattern SOUND = Pattern.compile("[A-Za-z0-9._-]{1,128}");

    @ServerRequestFilter(preMatching = true, priority = 0)
    public void begin(ContainerRequestContext request) {
        request.setProperty(PROPERTY, chosen(request.getHeaderString(HEADER)));
    }

    @ServerResponseFilter
    public void end(ContainerRequestContext request, ContainerResponseContext response) {
        response.getHeaders().putSingle(HEADER, of(request));
    }

    public static String of(ContainerRequestContext request) {
        return request.getProperty(PROPERTY) instanceof String id ? id : fresh();
    }

    public static String chosen(@Nullable String offered) {
        return offered != null && SOUND.matcher(offered).matches() ? offered : fresh();
    }

    /** Tells requests apart and is no secret, so nothing is asked of the source of secure random numbers. */
    public static String fresh() {
        var random = ThreadLocalRandom.current();
        return "req_" + HEX.toHexDigits(random.nextLong()) + HEX.toHexDigits(random.nextLong());
    }
}
