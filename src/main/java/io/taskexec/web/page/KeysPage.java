package io.taskexec.web.page;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.smallrye.mutiny.Uni;
import io.taskexec.api.auth.KeyResource;
import io.taskexec.api.web.Paging;
import io.taskexec.model.audit.KeyScope;
import io.taskexec.web.frame.PageRoutes;
import io.taskexec.web.frame.PageRoutes.Audited;
import io.taskexec.web.frame.Reply;
import io.taskexec.web.frame.Section;
import io.taskexec.web.frame.Visit;
import jakarta.inject.Singleton;
import org.jspecify.annotations.Nullable;

/** API keys. A new one is shown once, on the page that its form leads to. */
@Singleton
final class KeysPage implements Section {
    private static final int LIMIT = 50;

    private final KeyResource keys;
    private final Trees trees;

    KeysPage(KeyResource keys, Trees trees) {
        this.keys = keys;
        this.trees = trees;
    }

    @Override
    public Entry entry() {
        return new Entry(80, "/keys", "Keys", KeyScope.ADMIN);
    }

    @Override
    public void open(PageRoutes routes) {
        routes.get("/keys", KeyScope.ADMIN, visit -> list(visit, null));
        routes.get("/keys/:id", KeyScope.ADMIN, this::show);
        routes.post("/keys", KeyScope.ADMIN, new Audited("key", "create"), this::create);
        routes.post("/keys/:id/revoke", KeyScope.ADMIN, new Audited("key", "revoke"), this::revoke);
    }

    /** All keys below the one that has just been made. */
    private Uni<Reply> show(Visit visit) {
        return trees.of(() -> keys.get(visit.path("id"))).chain(made -> list(visit, made));
    }

    private Uni<Reply> list(Visit visit, @Nullable ObjectNode made) {
        return trees.of(() -> keys.list(Paging.of(LIMIT, visit.query("cursor"))))
                .map(list -> Reply.page("keys", "Keys")
                        .with("list", list)
                        .with("made", made)
                        .with("scopes", Filters.names(KeyScope.values())));
    }

    private Uni<Reply> create(Visit visit) {
        var body = JsonNodeFactory.instance.objectNode();
        if (visit.form("name") != null) {
            body.put("name", visit.form("name"));
        }
        if (visit.form("scope") != null) {
            body.putArray("scopes").add(visit.form("scope"));
        }
        if (visit.form("expires_in") != null) {
            body.put("expires_in", visit.form("expires_in"));
        }
        return trees.of(() -> keys.create(QueuesPage.bytes(body)))
                .map(made -> new Reply.Made(
                        "/ui/keys/" + made.path("key_id").asText(),
                        made.path("key").asText()));
    }

    private Uni<Reply> revoke(Visit visit) {
        return Uni.createFrom()
                .deferred(() -> keys.revoke(visit.path("id")))
                .map(_ -> new Reply.Moved("/ui/keys", "The key is revoked."));
    }
}
