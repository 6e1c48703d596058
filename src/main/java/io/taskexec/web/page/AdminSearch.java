package io.taskexec.web.page;

import io.smallrye.mutiny.Uni;
import io.taskexec.api.auth.AuditResource;
import io.taskexec.api.auth.KeyResource;
import io.taskexec.api.web.Cursor;
import io.taskexec.api.web.Paging;
import io.taskexec.model.PublicId;
import jakarta.inject.Singleton;
import java.util.Optional;
import java.util.UUID;

/** Finds API keys and entries of the audit log by their ids, for those who may see them. */
@Singleton
final class AdminSearch {
    private final KeyResource keys;
    private final AuditResource audit;
    private final Trees trees;

    AdminSearch(KeyResource keys, AuditResource audit, Trees trees) {
        this.keys = keys;
        this.audit = audit;
        this.trees = trees;
    }

    /** The page that shows what has this id; empty when there is no such key or entry. */
    Uni<Optional<String>> place(String id) {
        var entry = PublicId.AUDIT.parse(id);
        if (entry != null) {
            return trees.of(() -> audit.list(Paging.of(1, Cursor.downFrom(entry)), null, null))
                    .map(list ->
                            Trees.items(list).path(0).path("audit_id").asText().equals(PublicId.AUDIT.show(entry)))
                    .map(isThere -> isThere ? Optional.of(listFrom(entry)) : Optional.empty());
        }
        return id.startsWith("key_")
                ? trees.orProblem(() -> keys.get(id))
                        .map(found -> found.has("problem") ? Optional.empty() : Optional.of("/ui/keys#" + id))
                : Uni.createFrom().item(Optional.empty());
    }

    /** The audit log from an entry on. */
    static String listFrom(UUID entry) {
        return "/ui/audit?cursor=" + Cursor.downFrom(entry);
    }
}
