package io.taskexec.examples.cloudillo.federation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.TextNode;
import io.taskexec.client.worker.PermanentException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.interfaces.ECPublicKey;
import java.security.spec.X509EncodedKeySpec;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ActionTokenTest {
    /** The example of jwt.io for ES384. */
    private static final String EXAMPLE = "eyJhbGciOiJFUzM4NCIsInR5cCI6IkpXVCJ9"
            + ".eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9lIiwiYWRtaW4iOnRydWUsImlhdCI6MTUxNjIzOTAyMn0"
            + ".VUPWQZuClnkFbaEKCsPy7CZVMh5wxbCSpaAWFLpnTe9J0--PzHNeTFNXCrVHysAa3eFbuzD8_bLSsgTKC8SzHxRVSj5e"
            + "N86vBPo_1fNfE7SHTYhWowjY4E_wuiC13yoj";

    private static final String EXAMPLE_KEY =
            "MHYwEAYHKoZIzj0CAQYFK4EEACIDYgAEC1uWSXj2czCDwMTLWV5BFmwxdM6PX9p+Pk9Yf9rIf374m5XP1U8q79dBhLSI"
                    + "uaojsvOT39UUcPJROSD1FqYLued0rXiooIii1D3jaW6pmGVJFhodzC31cy5sfOYotrzF";

    private static final Jwk KEY = Jwk.generate();
    private static final Claims CLAIMS = new Claims(
            "alice.example",
            null,
            1_700_000_000,
            1_700_000_060L,
            "POST",
            TextNode.valueOf("Grüße"),
            null,
            List.of("f1~a"),
            Map.of("f1~a", Map.of("tn", "f1~b")));

    private static String encode(String json) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(json.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void theKnownExampleIsVerified() throws GeneralSecurityException {
        var key = (ECPublicKey) KeyFactory.getInstance("EC")
                .generatePublic(new X509EncodedKeySpec(Base64.getDecoder().decode(EXAMPLE_KEY)));
        var jwk = Jwk.of(key.getW().getAffineX(), key.getW().getAffineY(), null);
        var token = ActionToken.parse(EXAMPLE);

        assertThat(token.json().path("name").asText()).isEqualTo("John Doe");
        assertThat(token.isSignedBy(jwk.publicKey())).isTrue();
        assertThat(token.isSignedBy(KEY.publicKey())).isFalse();
    }

    @Test
    void aSignedTokenSaysWhatWasSigned() throws Exception {
        var text = ActionToken.sign(CLAIMS, Jwk.parse(KEY.write()));
        var token = ActionToken.parse(text);

        assertThat(text).matches("[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]{128}");
        assertThat(token.claims()).isEqualTo(CLAIMS);
        assertThat(token.claims().files()).containsExactly("f1~a", "f1~b");
        assertThat(token.keyId()).isEqualTo(KEY.kid());
        assertThat(token.isSignedBy(KEY.withoutPrivatePart().publicKey())).isTrue();
        assertThat(token.json().path("iss").asText()).isEqualTo("alice.example");
        assertThat(token.json().path("t").asText()).isEqualTo("POST");
        assertThat(token.json().path("a").path(0).asText()).isEqualTo("f1~a");
    }

    @Test
    void aChangedTokenIsNotSigned() throws Exception {
        var parts = ActionToken.sign(CLAIMS, KEY).split("\\.", -1);
        var changed = parts[0] + "." + encode("{\"iss\":\"mallory.example\",\"iat\":1}") + "." + parts[2];

        assertThat(ActionToken.parse(changed).isSignedBy(KEY.publicKey())).isFalse();
        var shorter = parts[0] + "." + parts[1] + "." + parts[2].substring(4);
        assertThat(ActionToken.parse(shorter).isSignedBy(KEY.publicKey())).isFalse();
        var zero = parts[0] + "." + parts[1] + "." + "A".repeat(128);
        assertThat(ActionToken.parse(zero).isSignedBy(KEY.publicKey())).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "a.b",
                "a.b.c.d",
                "{\"alg\":\"none\"}.{}.",
                "{\"alg\":\"HS256\"}.{}.AAAA",
                "{\"alg\":\"ES384\",\"crit\":[\"x\"]}.{}.AAAA",
                "{\"alg\":\"ES384\"}.[].AAAA",
                "{\"alg\":\"ES384\"}.{\"iat\":\"soon\"}.AAAA",
                "{\"alg\":\"ES384\"}.{\"a\":\"f1~a\"}.AAAA",
                "{\"alg\":\"ES384\"}.{\"a\":[null]}.AAAA",
                "{\"alg\":\"ES384\"}.{\"v\":{\"f\":null}}.AAAA",
                "{\"alg\":\"ES384\"}.{\"v\":{\"f\":{\"tn\":null}}}.AAAA",
                "{\"alg\":\"ES384\"}.{}.!"
            })
    void otherTextsAreNoTokens(String text) {
        var parts = text.split("\\.", -1);
        var token = parts.length == 3 ? encode(parts[0]) + "." + encode(parts[1]) + "." + parts[2] : text;

        assertThatThrownBy(() -> ActionToken.parse(token))
                .isInstanceOfSatisfying(
                        PermanentException.class, e -> assertThat(e.code()).isEqualTo("MALFORMED_TOKEN"));
    }

    @Test
    void actionsHaveALimit() {
        var claims = new Claims(
                "alice.example", null, 1, null, "POST", TextNode.valueOf("x".repeat(30_000)), null, null, null);

        assertThatThrownBy(() -> ActionToken.sign(claims, KEY)).isInstanceOf(PermanentException.class);
    }

    @Test
    void publicKeysHaveNoPrivatePartAndArePointsOfTheCurve() {
        assertThat(KEY.withoutPrivatePart().write()).doesNotContain("\"d\"");
        assertThat(KEY.toString()).isEqualTo("Jwk[" + KEY.kid() + "]");
        var other = new Jwk("EC", "P-384", KEY.y(), KEY.x(), KEY.kid(), null);
        assertThatThrownBy(other::publicKey).isInstanceOf(GeneralSecurityException.class);
        var text = new Jwk("EC", "P-384", "!", "!", KEY.kid(), null);
        assertThatThrownBy(text::publicKey).isInstanceOf(GeneralSecurityException.class);
        var rsa = new Jwk("RSA", "P-384", KEY.x(), KEY.y(), KEY.kid(), null);
        assertThatThrownBy(rsa::publicKey).isInstanceOf(GeneralSecurityException.class);
    }
}
