package io.taskexec.api.web;

import jakarta.ws.rs.container.ContainerRequestContext;
import org.jspecify.annotations.Nullable;

/** The query parameter {@code dry_run} of the routes that change a resource. */
public final class DryRunParameter {
    public static final String NAME = "dry_run";

    private DryRunParameter() {}

    public static boolean read(@Nullable String value) {
        return Flags.parse(NAME, value);
    }

    /** Whether a request that succeeded was a dry run: routes without the parameter refuse requests that have it. */
    public static boolean isSet(ContainerRequestContext request) {
        return read(request.getUriInfo().getQueryParameters().getFirst(NAME));
    }
}
