package io.taskexec.examples.cloudillo.federation;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.taskexec.client.worker.PermanentException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.PublicKey;
import java.util.Base64;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** An action as it travels: a JWT that its issuer has signed with ES384. */
public final class ActionToken {
    /** The longest token; attachments travel by their ids. */
    public static final int MAX_CHARACTERS = 32_768;

    private static final ObjectMapper MAPPER = Untrusted.MAPPER;
    private static final String ALGORITHM = "ES384";

    private final String signedPart;
    private final String keyId;
    private final Claims claims;
    private final JsonNode json;
    private final byte[] signature;

    private ActionToken(String signedPart, JsonNode header, JsonNode json, byte[] signature) throws IOException {
        this.signedPart = signedPart;
        this.keyId = header.path("kid").asText();
        this.json = json;
        this.claims = MAPPER.treeToValue(json, Claims.class);
        this.signature = signature;
    }

    /** Signs claims. */
    public static String sign(Claims claims, Jwk key) throws GeneralSecurityException, JsonProcessingException {
        ObjectNode header = MAPPER.valueToTree(Map.of("alg", ALGORITHM, "typ", "JWT", "kid", key.kid()));
        var signed = encode(MAPPER.writeValueAsBytes(header)) + "." + encode(MAPPER.writeValueAsBytes(claims));
        var token = signed + "." + encode(Es384.sign(signed.getBytes(StandardCharsets.US_ASCII), key.privateKey()));
        if (token.length() > MAX_CHARACTERS) {
            throw new PermanentException(
                    "The action has %d characters; %d are allowed.".formatted(token.length(), MAX_CHARACTERS),
                    "ACTION_TOO_LARGE",
                    null);
        }
        return token;
    }

    /**
     * Takes a token apart. Nothing of it is known to be true before {@link #isSignedBy}.
     *
     * @throws PermanentException when it is no token that can be verified
     */
    public static ActionToken parse(String token) {
        var parts = token.split("\\.", -1);
        if (parts.length != 3 || token.length() > MAX_CHARACTERS) {
            throw malformed("it has three parts and at most " + MAX_CHARACTERS + " characters", null);
        }
        try {
            var header = MAPPER.readTree(decode(parts[0]));
            // A token does not choose how it is verified.
            if (!ALGORITHM.equals(header.path("alg").asText()) || header.has("crit")) {
                throw malformed("its algorithm is " + ALGORITHM, null);
            }
            var claims = MAPPER.readTree(decode(parts[1]));
            if (!claims.isObject()) {
                throw malformed("its claims are an object", null);
            }
            return new ActionToken(parts[0] + "." + parts[1], header, claims, decode(parts[2]));
        } catch (IOException | IllegalArgumentException e) {
            throw malformed("its parts are JSON in base64url, with claims of their types", e);
        }
    }

    private static PermanentException malformed(String rule, @Nullable Exception cause) {
        return new PermanentException("This is no token of an action: " + rule + ".", "MALFORMED_TOKEN", cause);
    }

    private static String encode(byte[] part) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(part);
    }

    private static byte[] decode(String part) {
        return Base64.getUrlDecoder().decode(part);
    }

    /** Returns the id of the key that it says it is signed with. */
    String keyId() {
        return keyId;
    }

    /** Returns what it says. */
    public Claims claims() {
        return claims;
    }

    /** Returns all that it says, also what this version does not know. */
    public JsonNode json() {
        return json;
    }

    /** Tells whether the owner of a key has signed it. */
    boolean isSignedBy(PublicKey key) throws GeneralSecurityException {
        return Es384.verify(signedPart.getBytes(StandardCharsets.US_ASCII), signature, key);
    }
}
