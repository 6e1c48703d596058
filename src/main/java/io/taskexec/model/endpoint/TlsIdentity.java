package io.taskexec.model.endpoint;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A client certificate with its key, and additional trusted authorities. All texts are PEM.
 *
 * @param clientCertificate the certificate, then those that lead from it to an authority; null together with its key
 * @param clientKey the private key of the certificate
 * @param caCertificates more authorities that may vouch for the other side
 */
public record TlsIdentity(
        @Nullable String clientCertificate,
        @Nullable String clientKey,
        @Nullable String caCertificates) {
    TlsIdentity map(UnaryOperator<String> change) {
        return new TlsIdentity(
                apply(change, clientCertificate), apply(change, clientKey), apply(change, caCertificates));
    }

    static @Nullable String apply(UnaryOperator<String> change, @Nullable String text) {
        return text == null ? null : change.apply(text);
    }

    static void putIfGiven(ObjectNode json, String name, @Nullable String text) {
        if (text != null) {
            json.put(name, text);
        }
    }

    void addTo(ObjectNode json) {
        putIfGiven(json, "client_certificate", clientCertificate);
        putIfGiven(json, "client_key", clientKey);
        putIfGiven(json, "ca_certificates", caCertificates);
    }

    static @Nullable TlsIdentity of(@Nullable JsonNode json) {
        return json == null
                ? null
                : new TlsIdentity(
                        json.path("client_certificate").textValue(),
                        json.path("client_key").textValue(),
                        json.path("ca_certificates").textValue());
    }
}
