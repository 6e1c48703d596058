package io.taskexec.web.page;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.smallrye.mutiny.Uni;
import io.taskexec.api.web.EntityTag;
import io.taskexec.request.ApiException;
import io.taskexec.request.ErrorMapping;
import jakarta.inject.Singleton;
import java.util.function.IntSupplier;
import java.util.function.Supplier;
import org.jboss.resteasy.reactive.RestResponse;
import org.jspecify.annotations.Nullable;

/**
 * Calls the resources of the API within the program, and gives their answers as JSON. So a page shows what the API
 * shows, by its names, and has its limits, checks and errors.
 */
@Singleton
final class Trees {
    private final ObjectMapper mapper;

    Trees(ObjectMapper mapper) {
        this.mapper = mapper;
    }

    /** The answer to a call, which may throw; with its {@code etag}, if it has one. */
    Uni<ObjectNode> of(Supplier<Uni<?>> call) {
        return Uni.createFrom().deferred(() -> call.get().map(this::tree));
    }

    /** The same; an error of the API is an object with its {@code problem}. */
    Uni<ObjectNode> orProblem(Supplier<Uni<?>> call) {
        return of(call).onFailure(ApiException.class)
                .recoverWithItem(failure -> mapper.createObjectNode()
                        .put(
                                "problem",
                                String.valueOf(ErrorMapping.explain(failure).getMessage())));
    }

    /** The items of a list. */
    static ArrayNode items(ObjectNode list) {
        return list.withArray("/items");
    }

    /**
     * The entry with a name in a list of the overview.
     *
     * @param otherwise the entry of a name that is not among all of them
     * @return null when the list leaves some out, so that the entry is not known
     */
    static @Nullable JsonNode named(JsonNode list, String field, String name, JsonNode otherwise) {
        return list.path("items")
                .valueStream()
                .filter(one -> one.path(field).asText().equals(name))
                .findFirst()
                .orElse(list.path("total").asInt() > list.path("items").size() ? null : otherwise);
    }

    /** How many were looked at for a part of a list that has fewer than it may, though it goes on; null otherwise. */
    static @Nullable Integer lookedAt(ObjectNode list, int limit, IntSupplier most) {
        return list.hasNonNull("cursor") && list.path("items").size() < limit ? most.getAsInt() : null;
    }

    private ObjectNode tree(Object answer) {
        if (answer instanceof RestResponse<?> response) {
            ObjectNode tree = mapper.valueToTree(response.getEntity());
            var tag = response.getHeaderString(EntityTag.HEADER);
            return tag == null ? tree : tree.put("etag", tag);
        }
        return mapper.valueToTree(answer);
    }
}
