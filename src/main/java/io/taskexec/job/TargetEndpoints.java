package io.taskexec.job;

import io.smallrye.mutiny.Uni;
import io.taskexec.model.endpoint.Endpoint;
import io.taskexec.model.endpoint.TargetCheck;
import io.taskexec.model.job.Target;
import io.taskexec.request.ApiException;
import io.taskexec.request.ErrorCode;
import io.taskexec.store.endpoint.EndpointStore;
import io.taskexec.store.endpoint.TargetStore;
import io.taskexec.store.sql.Database;
import jakarta.inject.Singleton;
import java.net.URI;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Checks targets of jobs, and finds or makes the hidden endpoints that they belong to. */
@Singleton
final class TargetEndpoints {
    private final Database database;
    private final EndpointStore endpoints;
    private final TargetStore store;
    private final TargetCheck check;

    TargetEndpoints(Database database, EndpointStore endpoints, TargetStore store, TargetCheck check) {
        this.database = database;
        this.endpoints = endpoints;
        this.store = store;
        this.check = check;
    }

    /**
     * Fails with an {@link ApiException} when nothing may be delivered to the origin of a target.
     *
     * @param pointer of the target in the request
     */
    Uni<Void> check(Target target, String pointer) {
        return check.refusal(URI.create(Objects.requireNonNull(target.origin())))
                .invoke(refusal -> {
                    if (refusal != null) {
                        throw ApiException.at(
                                ErrorCode.INVALID_REQUEST, pointer + "/url", refusal.replaceAll("\\.$", ""));
                    }
                })
                .replaceWithVoid();
    }

    /** The hidden endpoint of this name; fails with an {@link ApiException} when there are too many. */
    Uni<@Nullable Endpoint> findOrCreate(String name) {
        return findOrCreate(endpoints, store, name);
    }

    private static Uni<@Nullable Endpoint> findOrCreate(EndpointStore endpoints, TargetStore store, String name) {
        return endpoints
                .find(name)
                .chain(found -> found != null
                        ? Uni.createFrom().item(found)
                        : store.create(name)
                                .invoke(TargetEndpoints::refuseTooMany)
                                .chain(() -> endpoints.find(name)));
    }

    /** The hidden endpoint of this name, or what it would be; writes nothing. Fails as {@link #findOrCreate} does. */
    Uni<@Nullable Endpoint> tried(String name) {
        return database.rehearse(
                rehearsal -> findOrCreate(new EndpointStore(rehearsal), new TargetStore(rehearsal), name));
    }

    private static void refuseTooMany(boolean hasRoom) {
        if (!hasRoom) {
            throw new ApiException(
                    ErrorCode.CONFLICT,
                    "There are jobs with targets at %,d origins, which is the most; register an endpoint for this one."
                            .formatted(TargetStore.MOST));
        }
    }
}
