package io.taskexec.secret;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.Base64;
import java.util.UUID;
import javax.crypto.SecretKey;
import org.jspecify.annotations.Nullable;

/**
 * Makes and checks the tokens by which receivers may say how an attempt ends: the id of a key, the execution and the
 * attempt, with an HMAC-SHA256 of these that is cut to 128 bits. The keys are derived from those of secrets. Nothing is
 * stored.
 */
public final class CallbackTokens {
    private static final int UUID_BYTES = 16;
    private static final int SUBJECT_BYTES = UUID_BYTES + Short.BYTES;
    private static final int MAC_BYTES = 16;

    /** The longest id of a key, the dot, and the rest in base64. */
    private static final int MAX_LENGTH = 64;

    /** The use of a token. One that was made for another use is unknown. */
    public enum Purpose {
        /** To say how an attempt ends. */
        CALLBACK,
        /** To decide about an approval. */
        APPROVAL;

        private byte[] bytes() {
            return ("taskexec " + name()).getBytes(UTF_8);
        }
    }

    private final KeyRing keys;

    public CallbackTokens(KeyRing keys) {
        this.keys = keys;
    }

    /** The attempt that a token is for. */
    public record Subject(UUID executionId, int attempt) {}

    /** The token of an attempt, of letters, digits, {@code .}, {@code -} and {@code _}. */
    public String of(Purpose purpose, UUID executionId, int attempt) {
        var id = keys.activeId();
        var subject = ByteBuffer.allocate(SUBJECT_BYTES)
                .putLong(executionId.getMostSignificantBits())
                .putLong(executionId.getLeastSignificantBits())
                .putShort((short) attempt)
                .array();
        var token = ByteBuffer.allocate(SUBJECT_BYTES + MAC_BYTES)
                .put(subject)
                .put(mac(requireNonNull(keys.find(id)), purpose, subject))
                .array();
        return id + "." + Base64.getUrlEncoder().withoutPadding().encodeToString(token);
    }

    /** The subject of a token; null for one that was not made here, in a time that does not depend on what is wrong. */
    public @Nullable Subject read(Purpose purpose, String token) {
        var dot = token.indexOf('.');
        var key = dot < 0 || token.length() > MAX_LENGTH ? null : keys.find(token.substring(0, dot));
        var bytes = key == null ? null : decode(token.substring(dot + 1));
        var isComplete = bytes != null && bytes.length == SUBJECT_BYTES + MAC_BYTES;
        var claimed = isComplete ? requireNonNull(bytes) : new byte[SUBJECT_BYTES + MAC_BYTES];
        var subject = Arrays.copyOf(claimed, SUBJECT_BYTES);
        var expected = mac(key == null ? requireNonNull(keys.find(keys.activeId())) : key, purpose, subject);
        var isRight = MessageDigest.isEqual(expected, Arrays.copyOfRange(claimed, SUBJECT_BYTES, claimed.length));
        if (!isComplete || !isRight) {
            return null;
        }
        var buffer = ByteBuffer.wrap(subject);
        return new Subject(new UUID(buffer.getLong(), buffer.getLong()), buffer.getShort());
    }

    private static byte @Nullable [] decode(String text) {
        try {
            return Base64.getUrlDecoder().decode(text);
        } catch (IllegalArgumentException _) {
            return null;
        }
    }

    private static byte[] mac(SecretKey key, Purpose purpose, byte[] subject) {
        return Arrays.copyOf(DerivedMac.of(key, purpose.bytes(), subject), MAC_BYTES);
    }
}
