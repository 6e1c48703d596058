package io.taskexec.api.endpoint;

import io.smallrye.mutiny.Uni;
import io.taskexec.model.endpoint.IdentitySpec;
import io.taskexec.request.ApiException;
import io.taskexec.request.ApiException.Detail;
import io.taskexec.request.ErrorCode;
import io.taskexec.secret.SecretCipher;
import io.taskexec.secret.SecretUnreadableException;
import io.taskexec.secret.SigningKey;
import io.taskexec.store.endpoint.SecretStore;
import jakarta.inject.Singleton;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Refuses endpoints that are to sign with secrets that are not there or cannot sign: each execution would fail. What a
 * secret becomes later is for the execution to find.
 */
@Singleton
class RegistrationSigning {
    private final SecretStore secrets;
    private final SecretCipher cipher;

    RegistrationSigning(SecretStore secrets, SecretCipher cipher) {
        this.secrets = secrets;
        this.cipher = cipher;
    }

    /** Fails with an {@link ApiException} that names the first secret that cannot sign. */
    Uni<Void> check(IdentitySpec identity) {
        var names = identity.signingSecrets();
        return names.isEmpty()
                ? Uni.createFrom().voidItem()
                : secrets.encryptedValues(names)
                        .invoke(values -> check(names, values))
                        .replaceWithVoid();
    }

    private void check(List<String> names, Map<String, byte[]> values) {
        for (var i = 0; i < names.size(); i++) {
            var name = names.get(i);
            var pointer = "/spec/signing/secrets/" + i;
            var value = values.get(name);
            if (value == null) {
                throw refusal(
                        ErrorCode.TEMPLATE_RESOLUTION_FAILED,
                        pointer,
                        "There is no secret '%s' to sign with".formatted(name));
            }
            var problem = problem(name, value);
            if (problem != null) {
                throw refusal(
                        ErrorCode.INVALID_REQUEST,
                        pointer,
                        "The secret '%s' cannot sign: its value %s".formatted(name, problem));
            }
        }
    }

    private @Nullable String problem(String name, byte[] encrypted) {
        try {
            var _ = SigningKey.parse(cipher.decrypt(name, encrypted));
            return null;
        } catch (IllegalArgumentException e) {
            return e.getMessage();
        } catch (SecretUnreadableException _) {
            // A worker may have the key for it that this process has not.
            return null;
        }
    }

    private static ApiException refusal(ErrorCode code, String pointer, String sentence) {
        return new ApiException(code, sentence + ".", List.of(new Detail(pointer, sentence)));
    }
}
