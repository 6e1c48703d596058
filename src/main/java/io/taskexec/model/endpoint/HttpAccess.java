package io.taskexec.model.endpoint;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Client authentication of HTTP calls: a TLS identity, an access token, or both. In a spec the texts are templates, in
 * a call their values.
 */
public record HttpAccess(
        @Nullable TlsIdentity tls, @Nullable ClientCredentials oauth2) {
    /** The same with {@code change} applied to every text. */
    public HttpAccess map(UnaryOperator<String> change) {
        return new HttpAccess(tls == null ? null : tls.map(change), oauth2 == null ? null : oauth2.map(change));
    }

    /** All texts. */
    public Set<String> texts() {
        var texts = new LinkedHashSet<String>();
        var _ = map(text -> {
            texts.add(text);
            return text;
        });
        return texts;
    }

    void addTo(ObjectNode spec) {
        if (tls != null) {
            tls.addTo(spec.putObject("tls"));
        }
        if (oauth2 != null) {
            oauth2.addTo(spec.putObject("oauth2"));
        }
    }

    static @Nullable HttpAccess of(JsonNode spec) {
        var tls = TlsIdentity.of(spec.get("tls"));
        var oauth2 = ClientCredentials.of(spec.get("oauth2"));
        return of(tls, oauth2);
    }

    /** Null when there is neither. */
    public static @Nullable HttpAccess of(@Nullable TlsIdentity tls, @Nullable ClientCredentials oauth2) {
        return tls == null && oauth2 == null ? null : new HttpAccess(tls, oauth2);
    }
}
