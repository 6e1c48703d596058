package io.taskexec.examples.cloudillo.federation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.taskexec.client.worker.PermanentException;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class VerificationTest {
    private static final String ME = "alice.example";
    private static final String BOB = OtherInstance.IDENTITY;
    private static final Instant NOW = Instant.ofEpochSecond(1_700_000_000);
    private static final Contact STRANGER = new Contact(BOB, false, false);
    private static final Contact FOLLOWED = new Contact(BOB, true, false);
    private static final Contact CONNECTED = new Contact(BOB, false, true);
    private static final Jwk KEY = Jwk.generate();

    private final OtherInstance bob;
    private final Verification verification;

    VerificationTest() throws IOException {
        bob = new OtherInstance();
        bob.answerKeys(Jwk.generate().withoutPrivatePart(), KEY.withoutPrivatePart());
        verification = new Verification(bob.remote(), ME);
    }

    @AfterEach
    void close() {
        bob.close();
    }

    private static ActionToken token(@Nullable String type, @Nullable String audience, @Nullable Long expiresAt)
            throws Exception {
        return token(type, audience, expiresAt, List.of());
    }

    private static ActionToken token(
            @Nullable String type, @Nullable String audience, @Nullable Long expiresAt, List<String> files)
            throws Exception {
        var claims = new Claims(BOB, audience, 1, expiresAt, type, null, null, files, null);
        return ActionToken.parse(ActionToken.sign(claims, KEY));
    }

    private void assertRefused(ActionToken token, @Nullable Contact issuer, String code) {
        assertThatThrownBy(() -> verification.verify(token, issuer, NOW))
                .isInstanceOfSatisfying(
                        PermanentException.class, e -> assertThat(e.code()).isEqualTo(code));
    }

    @Test
    void actionsOfContactsAreVerifiedWithTheirKeys() throws Exception {
        verification.verify(token("POST", null, null), FOLLOWED, NOW);
        verification.verify(token("POST", ME, NOW.getEpochSecond() + 1), CONNECTED, NOW);
        verification.verify(token("MSG", ME, null), CONNECTED, NOW);
        verification.verify(token("CONN", ME, null), null, NOW);
        verification.verify(token("FLLW", ME, null), STRANGER, NOW);

        assertThat(bob.requests()).hasSize(5).containsOnly("GET /api/me/keys");
    }

    @Test
    void whatIsNotLetInCausesNoRequest() throws Exception {
        assertRefused(token("POST", null, null), null, "FORBIDDEN");
        assertRefused(token("POST", null, null), STRANGER, "FORBIDDEN");
        assertRefused(token("MSG", ME, null), FOLLOWED, "FORBIDDEN");
        assertRefused(token("MSG", null, null), CONNECTED, "FORBIDDEN");
        assertRefused(token("CONN", null, null), null, "FORBIDDEN");
        assertRefused(token("POST", "carol.example", null), CONNECTED, "WRONG_AUDIENCE");
        assertRefused(token("POST", null, NOW.getEpochSecond()), CONNECTED, "EXPIRED");
        assertRefused(token("NEWS", null, null), CONNECTED, "UNKNOWN_ACTION_TYPE");
        assertRefused(token(null, null, null), CONNECTED, "UNKNOWN_ACTION_TYPE");
        var files = IntStream.range(0, 101).mapToObj(String::valueOf).toList();
        assertRefused(token("POST", null, null, files), CONNECTED, "TOO_MANY_FILES");

        assertThat(bob.requests()).isEmpty();
    }

    @Test
    void signaturesOfOthersAreRefused() throws Exception {
        var token = token("POST", null, null);
        bob.answerKeys(Jwk.generate());
        assertRefused(token, CONNECTED, "INVALID_SIGNATURE");
        var disguised = Jwk.generate();
        bob.answerKeys(new Jwk(disguised.kty(), disguised.crv(), disguised.x(), disguised.y(), KEY.kid(), null));
        assertRefused(token, CONNECTED, "INVALID_SIGNATURE");
        bob.answerKeys();
        assertRefused(token, CONNECTED, "INVALID_SIGNATURE");
        bob.answerKeys(new Jwk("EC", "P-384", KEY.y(), KEY.x(), KEY.kid(), null));
        assertRefused(token, CONNECTED, "MALFORMED_KEYS");
    }

    @Test
    void anIssuerThatCannotBeAskedIsAskedAgain() throws Exception {
        var token = token("POST", null, null);
        bob.answer("/api/me/keys", 503, new byte[0]);

        assertThatThrownBy(() -> verification.verify(token, CONNECTED, NOW)).isInstanceOf(IOException.class);
    }
}
