package io.taskexec.api.endpoint;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.taskexec.model.endpoint.IdentitySpec;
import java.util.List;
import java.util.Map;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** The parts of an endpoint as the OpenAPI document shows them; {@link EndpointRequests} is what reads them. */
final class EndpointShapes {
    private static final String CLOUD_EVENTS =
            "true, or an object with a 'type': deliveries are CloudEvents 1.0, the type by default io.taskexec.job.";

    private EndpointShapes() {}

    /** The {@code signing} of an endpoint. */
    @Schema(name = "Signing")
    record Signing(
            @Schema(
                    minItems = 1,
                    maxItems = IdentitySpec.MAX_SECRETS,
                    description =
                            "Names of secrets that sign as Standard Webhooks has it; two while they are exchanged.")
            List<String> secrets) {}

    /** The spec of an HTTP endpoint. */
    @Schema(name = "HttpSpec")
    record Http(
            @Schema(maxLength = SpecLimits.MAX_TEXT, description = "A template.")
            String url,

            HttpSpecRequests.Method method,

            @Schema(maxProperties = SpecLimits.MAX_HEADERS, description = "Names to templates.") @Nullable
            Map<String, String> headers,

            @Schema(description = "Any JSON; its strings are templates.") @Nullable
            JsonNode bodyTemplate,

            @Schema(minimum = "1", maximum = "3600000", defaultValue = "30000") @Nullable
            Integer timeoutMs,

            @Schema(
                    maxItems = HttpSpecRequests.MAX_EXPECTED,
                    description = "200 to 599; default, also for an empty list, 200, 201, 202, 204.")
            @Nullable
            List<Integer> expectedStatusCodes,

            @Nullable Signing signing,

            @Schema(description = CLOUD_EVENTS) @Nullable JsonNode cloudEvents,

            @Nullable Tls tls,

            @Nullable OAuth2 oauth2) {}

    /** The client certificate and the trusted authorities of an endpoint. */
    @Schema(name = "TlsIdentity")
    record Tls(
            @Schema(maxLength = SpecLimits.MAX_PEM, description = "A template of PEM; needs client_key.") @Nullable
            String clientCertificate,

            @Schema(maxLength = SpecLimits.MAX_PEM, description = "A template of PEM; needs client_certificate.")
            @Nullable
            String clientKey,

            @Schema(maxLength = SpecLimits.MAX_PEM, description = "A template of PEM.") @Nullable
            String caCertificates) {}

    /** The client credentials for access tokens. */
    @Schema(name = "ClientCredentials")
    record OAuth2(
            @Schema(maxLength = SpecLimits.MAX_TEXT, description = "A template.")
            String tokenUrl,

            @Schema(maxLength = SpecLimits.MAX_TEXT, description = "A template.")
            String clientId,

            @Schema(maxLength = SpecLimits.MAX_TEXT, description = "A template.")
            String clientSecret,

            @Schema(maxLength = SpecLimits.MAX_TEXT, description = "A template.") @Nullable
            String scope,

            @Schema(maxLength = SpecLimits.MAX_TEXT, description = "A template.") @Nullable
            String audience,

            @Schema(
                    enumeration = {"basic", "body"},
                    defaultValue = "basic")
            @Nullable
            String auth) {}

    /** The spec of a Kafka endpoint. */
    @Schema(name = "KafkaSpec")
    record Kafka(
            @Schema(description = "A template of host:port,host:port.")
            String bootstrapServers,

            @Schema(description = "A template.") String topic,

            @Schema(description = "A template.") @Nullable String keyTemplate,

            @Schema(description = "Any JSON; its strings are templates.") @Nullable
            JsonNode valueTemplate,

            @Schema(maxProperties = SpecLimits.MAX_HEADERS, description = "Names to templates.") @Nullable
            Map<String, String> headers,

            @Schema(
                    enumeration = {"0", "1", "all"},
                    defaultValue = "all")
            @Nullable
            String acks,

            @Nullable Security security,

            @Schema(minimum = "1", maximum = "3600000", defaultValue = "10000") @Nullable
            Integer timeoutMs,

            @Nullable Signing signing,

            @Schema(description = CLOUD_EVENTS) @Nullable JsonNode cloudEvents) {}

    /** The security settings of a Kafka endpoint. */
    @Schema(name = "KafkaSecurity")
    record Security(
            @Schema(enumeration = {"plaintext", "ssl", "sasl_plaintext", "sasl_ssl"})
            String protocol,

            @Schema(
                    enumeration = {"plain", "scram-sha-256", "scram-sha-512"},
                    description = "Required with SASL.")
            @Nullable
            String mechanism,

            @Schema(maxLength = SpecLimits.MAX_TEXT, description = "A template; required with SASL.") @Nullable
            String username,

            @Schema(maxLength = SpecLimits.MAX_TEXT, description = "A template with a secret; required with SASL.")
            @Nullable
            String password,

            @Schema(maxLength = KafkaSecurityRequests.MAX_PEM, description = "A template of PEM.") @Nullable
            String caCertificates,

            @Schema(maxLength = KafkaSecurityRequests.MAX_PEM, description = "A template of PEM.") @Nullable
            String clientCertificate,

            @Schema(
                    maxLength = KafkaSecurityRequests.MAX_PEM,
                    description = "A template of PEM, with a secret; PKCS #8 without a password.")
            @Nullable
            String clientKey) {}

    /** The spec of a Redis stream endpoint. */
    @Schema(name = "RedisStreamSpec")
    record Redis(
            @Schema(description = "A template of a redis:// or rediss:// URL.")
            String redisUrl,

            @Schema(description = "A template.") String stream,

            @Schema(
                    implementation = ObjectNode.class,
                    description = "Names to any JSON but null; its strings are templates.")
            JsonNode fieldsTemplate,

            @Schema(description = "A positive whole number, or a template of one.") @Nullable
            JsonNode maxLen,

            @Schema(defaultValue = "true") @Nullable Boolean approximateTrimming,

            @Schema(minimum = "1", maximum = "3600000", defaultValue = "3000") @Nullable
            Integer timeoutMs,

            @Nullable Signing signing,

            @Schema(description = CLOUD_EVENTS) @Nullable JsonNode cloudEvents) {}

    /** The retry policy of an endpoint. */
    @Schema(name = "RetryPolicy")
    record Retry(
            @Schema(minimum = "1", maximum = "1000", defaultValue = "1") @Nullable
            Integer maxAttempts,

            @Schema(
                    enumeration = {"fixed", "linear", "exponential"},
                    defaultValue = "exponential")
            @Nullable
            String backoff,

            @Schema(minimum = "0", maximum = "604800000", defaultValue = "1000") @Nullable
            Integer initialDelayMs,

            @Schema(minimum = "0", maximum = "604800000") @Nullable
            Integer maxDelayMs) {}
}
