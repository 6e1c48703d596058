package io.taskexec.model.endpoint;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.taskexec.model.Option;
import java.util.List;
import java.util.Locale;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The security settings of a connection to a Kafka cluster. In a spec all but the protocol and the mechanism are
 * templates; in a message they are resolved.
 *
 * @param mechanism one of {@link #MECHANISMS} where the protocol has SASL, else null
 * @param caCertificates PEM; null for those that the JDK trusts
 * @param clientCertificate PEM, the certificate and its chain; null for a client without one
 * @param clientKey PEM, PKCS #8 and not encrypted
 */
public record KafkaSecurity(
        Protocol protocol,
        @Nullable String mechanism,
        @Nullable String username,
        @Nullable String password,
        @Nullable String caCertificates,
        @Nullable String clientCertificate,
        @Nullable String clientKey) {
    /** The SASL mechanisms. */
    public static final List<String> MECHANISMS = List.of("plain", "scram-sha-256", "scram-sha-512");

    /** The security protocol between client and brokers. */
    public enum Protocol implements Option {
        PLAINTEXT,
        SSL,
        SASL_PLAINTEXT,
        SASL_SSL;

        /** Whether the client says who it is, by name and password. */
        public boolean hasSasl() {
            return this == SASL_PLAINTEXT || this == SASL_SSL;
        }

        /** Whether the connection is encrypted. */
        public boolean hasTls() {
            return this == SSL || this == SASL_SSL;
        }
    }

    /** The same with {@code change} applied to every template. */
    public KafkaSecurity mapTemplates(Function<String, String> change) {
        return new KafkaSecurity(
                protocol,
                mechanism,
                map(username, change),
                map(password, change),
                map(caCertificates, change),
                map(clientCertificate, change),
                map(clientKey, change));
    }

    private static @Nullable String map(@Nullable String text, Function<String, String> change) {
        return text == null ? null : change.apply(text);
    }

    /** Hands over every template that there is, with the name that it has in the API. */
    public void forEachTemplate(BiConsumer<String, String> visitor) {
        visit("username", username, visitor);
        visit("password", password, visitor);
        visit("ca_certificates", caCertificates, visitor);
        visit("client_certificate", clientCertificate, visitor);
        visit("client_key", clientKey, visitor);
    }

    private static void visit(String name, @Nullable String template, BiConsumer<String, String> visitor) {
        if (template != null) {
            visitor.accept(name, template);
        }
    }

    /** Not the rest, which holds a password. */
    @Override
    public String toString() {
        return "KafkaSecurity[" + protocol + "]";
    }

    ObjectNode toJson() {
        var json = JsonNodeFactory.instance.objectNode();
        json.put("protocol", protocol.word());
        if (mechanism != null) {
            json.put("mechanism", mechanism);
        }
        forEachTemplate(json::put);
        return json;
    }

    /** Reads back what {@link #toJson} wrote; null for null. */
    static @Nullable KafkaSecurity of(@Nullable JsonNode json) {
        return json == null
                ? null
                : new KafkaSecurity(
                        Protocol.valueOf(json.path("protocol").asText().toUpperCase(Locale.ROOT)),
                        json.path("mechanism").textValue(),
                        json.path("username").textValue(),
                        json.path("password").textValue(),
                        json.path("ca_certificates").textValue(),
                        json.path("client_certificate").textValue(),
                        json.path("client_key").textValue());
    }
}
