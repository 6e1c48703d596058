package io.taskexec.api.web;

import io.taskexec.request.ErrorCode;
import io.taskexec.request.Fields;
import io.taskexec.request.Lookup;
import java.util.List;
import org.jboss.resteasy.reactive.RestResponse;

/** The answers that all resources have in common. */
public final class Responses {
    private Responses() {}

    /** The location stays relative: making it absolute takes a request scope, which no thread of a lookup has. */
    public static <T> RestResponse<T> created(String location, T view) {
        return creation(location, view).build();
    }

    /** Also says the tag of what was created; of what was only tried there is neither tag nor location. */
    public static <T extends Versioned> RestResponse<T> createdResource(String location, T view, boolean dryRun) {
        return dryRun
                ? RestResponse.ok(view)
                : creation(location, view)
                        .header(EntityTag.HEADER, EntityTag.of(view))
                        .build();
    }

    private static <T> RestResponse.ResponseBuilder<T> creation(String location, T view) {
        return RestResponse.ResponseBuilder.<T>create(RestResponse.Status.CREATED, view)
                // Not location(), which asks for the current request: what completes in a shared batch or load has
                // none.
                .header("Location", location);
    }

    public static <T extends Versioned> RestResponse<T> shown(T view) {
        return RestResponse.ResponseBuilder.ok(view)
                .header(EntityTag.HEADER, EntityTag.of(view))
                .build();
    }

    /** Answers a change with its tag. A dry run has none, since the next change will have the same. */
    public static <T extends Versioned> RestResponse<T> changed(T view, boolean dryRun) {
        return dryRun ? RestResponse.ok(view) : shown(view);
    }

    /** Without the resource when the client has it already. */
    public static <T extends Versioned> RestResponse<T> shown(T view, List<String> ifNoneMatch) {
        var tag = EntityTag.of(view);
        return EntityTags.noneMatchNames(ifNoneMatch, tag)
                ? RestResponse.ResponseBuilder.<T>create(RestResponse.Status.NOT_MODIFIED)
                        .header(EntityTag.HEADER, tag)
                        .build()
                : shown(view);
    }

    public static RestResponse<Void> deleted(boolean was, ErrorCode otherwise, String name) {
        if (!was) {
            throw Lookup.notFound(otherwise, name);
        }
        return RestResponse.noContent();
    }

    /** A PUT may repeat the name that its path gives, but not change it. */
    public static void sameName(Fields fields, String name) {
        var repeated = fields.optionalText("name");
        if (repeated != null && !repeated.equals(name)) {
            fields.violation("name", "must be '" + name + "' as in the path, since names do not change");
        }
    }
}
