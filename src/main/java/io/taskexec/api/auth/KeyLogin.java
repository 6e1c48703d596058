package io.taskexec.api.auth;

import io.smallrye.mutiny.Uni;
import io.taskexec.api.web.ApiConfig;
import io.taskexec.api.web.Caller;
import io.taskexec.model.ProgramClock;
import io.taskexec.model.audit.ApiKey;
import io.taskexec.model.audit.ClientNetwork;
import io.taskexec.secret.SignedTexts;
import io.taskexec.secret.SignedTexts.Use;
import io.taskexec.store.auth.ApiKeyStore;
import jakarta.inject.Singleton;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Lets people in who show an API key once, and knows the key again by its id, without having kept it. */
@Singleton
public final class KeyLogin {
    /** Precedes the mark of the first key, which has no id. */
    private static final String FIRST = "first ";

    private final KeyCheck check;
    private final ApiKeyStore store;
    private final SignedTexts texts;
    private final Optional<String> firstKey;

    KeyLogin(KeyCheck check, ApiKeyStore store, SignedTexts texts, ApiConfig config) {
        this.check = check;
        this.store = store;
        this.texts = texts;
        this.firstKey = config.apiKey();
    }

    /** Returns the caller of a key, and counts wrong ones as the API does. */
    public Uni<Optional<Caller>> logIn(String key, ClientNetwork from) {
        var known = check.known(key);
        return known == null ? check.lookUp(key, from) : Uni.createFrom().item(Optional.of(known));
    }

    /** The text by which {@link #again} finds the caller; no secret. */
    public String idOf(Caller caller) {
        var id = caller.keyId();
        return id == null ? FIRST + texts.mark(Use.FIRST_KEY, firstKey.orElse("")) : id;
    }

    /** Returns the caller that had this id, as the key is now; empty when it is revoked, expired or replaced. */
    public Uni<Optional<Caller>> again(String id) {
        if (id.startsWith(FIRST)) {
            return Uni.createFrom()
                    .item(firstKey.filter(key -> texts.isMark(Use.FIRST_KEY, key, id.substring(FIRST.length())))
                            .map(_ -> Caller.BOOTSTRAP));
        }
        return store.find(id).map(KeyLogin::callerOf);
    }

    private static Optional<Caller> callerOf(@Nullable ApiKey key) {
        if (key == null || key.revokedAt() != null) {
            return Optional.empty();
        }
        var end = key.expiresAt();
        return end == null || end.isAfter(ProgramClock.now())
                ? Optional.of(new Caller(key.name(), key.id(), key.scopes(), key.endpoints()))
                : Optional.empty();
    }

    /** Whether the caller has requests left. */
    public boolean mayRequest(Caller caller) {
        return check.mayRequest(caller);
    }
}
