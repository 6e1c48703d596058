package io.taskexec.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPairGenerator;
import java.security.Signature;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.Base64;
import java.util.Map;
import org.junit.jupiter.api.Test;

class WebhookTest {
    private static final String KEY = "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=";
    private static final String OTHER_KEY = "whsec_AAAAMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=";
    private static final Instant TIME = Instant.ofEpochSecond(1_795_216_639);
    private static final byte[] BODY = "{\"name\":\"Ada\"}".getBytes(StandardCharsets.UTF_8);

    /** The sample of docs/signing.md. */
    private static final Map<String, String> HEADERS = Map.of(
            "webhook-id", "exec_01a1fb4005347000b955e602f7ff43f9",
            "webhook-timestamp", "1795216639",
            "webhook-signature", "v1,tZxmzc3+9zwguZ11p8EUdlcUF+t+Ku3WSg0kAuCjsAA=");

    private static Webhook at(Instant now, String... keys) {
        return Webhook.of(keys).at(Clock.fixed(now, ZoneOffset.UTC));
    }

    @Test
    void aDeliveryWithAValidSignatureIsAccepted() throws Webhook.InvalidSignatureException {
        assertThat(at(TIME, KEY).verify(HEADERS::get, BODY))
                .isEqualTo(new Webhook.Delivery("exec_01a1fb4005347000b955e602f7ff43f9", TIME));
    }

    @Test
    void oneOfSeveralKeysSuffices() throws Webhook.InvalidSignatureException {
        assertThat(at(TIME, OTHER_KEY, KEY).verify(HEADERS::get, BODY)).isNotNull();
    }

    @Test
    void aDeliveryThatWasChangedIsRefused() {
        assertThatThrownBy(() -> at(TIME, KEY).verify(HEADERS::get, "{}".getBytes(StandardCharsets.UTF_8)))
                .hasMessage("No signature is valid.");
        assertThatThrownBy(() -> at(TIME, OTHER_KEY).verify(HEADERS::get, BODY)).hasMessage("No signature is valid.");
    }

    @Test
    void anOldDeliveryIsRefused() throws Webhook.InvalidSignatureException {
        var later = TIME.plusSeconds(301);

        assertThatThrownBy(() -> at(later, KEY).verify(HEADERS::get, BODY)).hasMessageContaining("too far");
        assertThat(at(later, KEY).tolerance(Duration.ofHours(1)).verify(HEADERS::get, BODY))
                .isNotNull();
    }

    @Test
    void aMissingHeaderIsNamed() {
        assertThatThrownBy(() -> at(TIME, KEY).verify(name -> null, BODY))
                .hasMessage("The header webhook-id is missing.");
    }

    @Test
    void malformedSignaturesAreNoSignatures() {
        for (var signature : new String[] {"", "v1,", "v1,***", "v1a,AAAA", "v2,x", " "}) {
            assertThatThrownBy(() -> at(TIME, KEY)
                            .verify(name -> name.equals("webhook-signature") ? signature : HEADERS.get(name), BODY))
                    .hasMessage("No signature is valid.");
        }
    }

    @Test
    void anEd25519SignatureIsVerifiedWithThePublicKey()
            throws GeneralSecurityException, Webhook.InvalidSignatureException {
        var pair = KeyPairGenerator.getInstance("Ed25519").generateKeyPair();
        var encoded = pair.getPublic().getEncoded();
        var key = "whpk_"
                + Base64.getEncoder().encodeToString(Arrays.copyOfRange(encoded, encoded.length - 32, encoded.length));
        var signer = Signature.getInstance("Ed25519");
        signer.initSign(pair.getPrivate());
        signer.update("exec_1.1795216639.".getBytes(StandardCharsets.UTF_8));
        signer.update(BODY);
        var headers = Map.of(
                "webhook-id", "exec_1",
                "webhook-timestamp", "1795216639",
                "webhook-signature", "v1,AAAA v1a," + Base64.getEncoder().encodeToString(signer.sign()));

        assertThat(at(TIME, KEY, key).verify(headers::get, BODY).id()).isEqualTo("exec_1");
        assertThatThrownBy(() -> at(TIME, key).verify(headers::get, new byte[0]))
                .hasMessage("No signature is valid.");
    }

    @Test
    void aKeyOfAnotherKindIsRefused() {
        assertThatThrownBy(() -> Webhook.of("secret")).hasMessageContaining("whsec_");
        assertThatThrownBy(() -> Webhook.of("whpk_AAAA")).hasMessageContaining("32 bytes");
    }
}
