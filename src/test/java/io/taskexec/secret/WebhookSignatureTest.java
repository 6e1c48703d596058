package io.taskexec.secret;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.taskexec.secret.WebhookVerifier.Headers;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The vectors are those of the reference libraries of Standard Webhooks, and of Svix for ed25519. */
class WebhookSignatureTest {
    private static final String ID = "msg_p5jXN8AQM9LWM0D4loKWxJek";
    private static final long TIMESTAMP = 1_614_265_330;
    private static final Instant THEN = Instant.ofEpochSecond(TIMESTAMP);
    private static final byte[] BODY = "{\"test\": 2432232314}".getBytes(UTF_8);

    private static final String SHARED = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    private static final String SHARED_SIGNATURE = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=";
    private static final String OTHER_SHARED = "whsec_" + "b".repeat(32);

    private static final String PRIVATE =
            "whsk_6Xb/dCcHpPea21PS1N9VY/NZW723CEc77N4rJCubMbfVKIDij2HKpMKkioLlX0dRqSKJp4AJ6p9lMicMFs6Kvg==";
    private static final String SEED = "whsk_6Xb/dCcHpPea21PS1N9VY/NZW723CEc77N4rJCubMbc=";
    private static final String PUBLIC = "whpk_1SiA4o9hyqTCpIqC5V9HUakiiaeACeqfZTInDBbOir4=";
    private static final String PRIVATE_SIGNATURE =
            "v1a,hnO3f9T8Ytu9HwrXslvumlUpqtNVqkhqw/enGzPCXe5BdqzCInXqYXFymVJaA7AZdpXwVLPo3mNl8EM+m7TBAg==";

    private static String sign(String... keys) {
        return new WebhookSigner(List.of(keys).stream().map(SigningKey::parse).toList()).sign(ID, TIMESTAMP, BODY);
    }

    private static @Nullable String problem(String key, String signature) {
        return problem(key, new Headers(ID, Long.toString(TIMESTAMP), signature), BODY, THEN);
    }

    private static @Nullable String problem(String key, Headers headers, byte[] body, Instant now) {
        return new WebhookVerifier(WebhookKey.parse(key), WebhookVerifier.USUAL_TOLERANCE).problem(headers, body, now);
    }

    @Test
    void aSharedKeySignsAsTheReferenceLibrariesDo() {
        assertThat(sign(SHARED)).isEqualTo(SHARED_SIGNATURE);
    }

    @ParameterizedTest
    @ValueSource(strings = {PRIVATE, SEED})
    void aPrivateKeySignsAsTheReferenceDoes(String key) {
        assertThat(sign(key)).isEqualTo(PRIVATE_SIGNATURE);
    }

    @Test
    void eachKeySignsWhileTwoAreLive() {
        assertThat(sign(PRIVATE, SHARED)).isEqualTo(PRIVATE_SIGNATURE + " " + SHARED_SIGNATURE);
    }

    @Test
    void aMessageWithoutABodyIsSignedToo() {
        var signer = new WebhookSigner(List.of(SigningKey.parse(SHARED)));
        var signature = signer.sign(ID, TIMESTAMP, new byte[0]);

        assertThat(problem(SHARED, new Headers(ID, Long.toString(TIMESTAMP), signature), new byte[0], THEN))
                .isNull();
        assertThat(signature).isNotEqualTo(SHARED_SIGNATURE);
    }

    @ParameterizedTest
    @ValueSource(strings = {SHARED, PRIVATE, SEED, PUBLIC})
    void oneFittingSignatureAmongOthersIsEnough(String key) {
        var others = "v1,garbage v1 v2,AAAA v1," + Base64.getEncoder().encodeToString(new byte[32]) + " v1a,AAAA";

        assertThat(problem(key, others + " " + SHARED_SIGNATURE + "  " + PRIVATE_SIGNATURE))
                .isNull();
        assertThat(problem(key, others)).startsWith("No signature fits");
    }

    @ParameterizedTest
    @CsvSource({SHARED + ", v1", PUBLIC + ", v1a"})
    void aSignatureOfAnotherKindSaysNothing(String key, String kind) {
        var other = kind.equals("v1") ? PRIVATE_SIGNATURE : SHARED_SIGNATURE;

        assertThat(problem(key, other)).contains("no signature of the kind " + kind + ",");
        assertThat(problem(key, "")).contains("no signature of the kind " + kind + ",");
    }

    @ParameterizedTest
    @ValueSource(strings = {SHARED, PUBLIC})
    void whatWasChangedDoesNotFit(String key) {
        var signatures = SHARED_SIGNATURE + " " + PRIVATE_SIGNATURE;
        var later = Long.toString(TIMESTAMP + 1);

        assertThat(problem(key, new Headers(ID, later, signatures), BODY, THEN)).startsWith("No signature fits");
        assertThat(problem(key, new Headers("msg", Long.toString(TIMESTAMP), signatures), BODY, THEN))
                .startsWith("No signature fits");
        assertThat(problem(key, new Headers(ID, Long.toString(TIMESTAMP), signatures), new byte[0], THEN))
                .startsWith("No signature fits");
        assertThat(problem(OTHER_SHARED, signatures)).startsWith("No signature fits");
    }

    @Test
    void aTimestampMayBeFiveMinutesFromNow() {
        var headers = new Headers(ID, Long.toString(TIMESTAMP), SHARED_SIGNATURE);

        assertThat(problem(SHARED, headers, BODY, THEN.plusSeconds(300))).isNull();
        assertThat(problem(SHARED, headers, BODY, THEN.minusSeconds(300))).isNull();
        assertThat(problem(SHARED, headers, BODY, THEN.plusSeconds(301)))
                .isEqualTo("webhook-timestamp is 301 seconds in the past, and 300 are allowed.");
        assertThat(problem(SHARED, headers, BODY, THEN.minusSeconds(301)))
                .isEqualTo("webhook-timestamp is 301 seconds in the future, and 300 are allowed.");
        assertThat(new WebhookVerifier(WebhookKey.parse(SHARED), null).problem(headers, BODY, Instant.now()))
                .isNull();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "hello", "-1614265330", "+1614265330", " 1614265330", "1614265330.5", "9999999999999"})
    void aTimestampIsANumberOfSeconds(String timestamp) {
        assertThat(problem(SHARED, new Headers(ID, timestamp, SHARED_SIGNATURE), BODY, THEN))
                .isEqualTo("webhook-timestamp is not a number of seconds since 1970.");
    }

    @Test
    void whatIsCheckedIsBounded() {
        assertThat(problem(SHARED, "v1,AAAA ".repeat(32) + SHARED_SIGNATURE)).contains("more than 32");
        assertThat(problem(SHARED, "v1,AAAA ".repeat(31) + SHARED_SIGNATURE)).isNull();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw                 | begins with none of whsec_, whsk_ and whpk_
            whsec_                                           | has 0 bytes, where there must be 24 to 64
            whsec_c2VjcmV0LXZhbHVl                           | has 12 bytes, where there must be 24 to 64
            whsec_secret value                               | is not valid base64 after whsec_
            whsk_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw            | has 24 bytes, where there must be 32, or 64
            whpk_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw            | has 24 bytes, where there must be 32
            whpk_AgAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA= | is no public key of Ed25519
            """)
    void whatIsNoKeyIsRefusedWithoutBeingRepeated(String text, String reason) {
        assertThatThrownBy(() -> WebhookKey.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith(reason)
                .hasNoCause()
                .message()
                .doesNotContain("MfKQ", "secret value", "c2Vj", "AAAA");
    }

    @Test
    void aKeyHasTwentyFourToSixtyFourBytes() {
        for (var bytes : List.of(24, 64)) {
            var key = "whsec_" + Base64.getEncoder().encodeToString(new byte[bytes]);
            assertThat(sign(key)).startsWith("v1,");
        }
        assertThatThrownBy(() -> sign("whsec_" + Base64.getEncoder().encodeToString(new byte[65])))
                .hasMessageStartingWith("has 65 bytes");
    }

    @Test
    void aPublicKeyCannotSign() {
        assertThatThrownBy(() -> SigningKey.parse(PUBLIC)).hasMessage("is a public key, which cannot sign");
    }
}
