package io.taskexec.command;

import io.taskexec.config.DatabaseUrl;
import io.taskexec.config.StartRefusedException;
import io.taskexec.embedded.DataDirectory;
import io.taskexec.embedded.EmbeddedDatabase;
import io.taskexec.secret.KeyRing;
import io.taskexec.secret.SecretCipher;
import io.taskexec.secret.SecretUnreadableException;
import io.taskexec.store.endpoint.EncryptedSecrets;
import java.nio.file.Path;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;

/** Reads the secrets of {@code taskexec dev} from its data directory, whether it runs or not. */
final class DevSecrets {
    private DevSecrets() {}

    /** The values by name; names that it does not have are absent. */
    static Map<String, String> read(Path directory, Collection<String> names) {
        var key = DataDirectory.secretKeyIn(directory);
        if (names.isEmpty() || key == null || !EmbeddedDatabase.exists(directory)) {
            return Map.of();
        }
        return DevDatabase.with(directory, url -> decrypt(url, key, names));
    }

    private static Map<String, String> decrypt(String url, String key, Collection<String> names) {
        var database = DatabaseUrl.parse(url);
        try {
            var cipher = new SecretCipher(KeyRing.parse(key));
            var values = new HashMap<String, String>();
            EncryptedSecrets.read(database.jdbc(), database.user(), database.password(), names)
                    .forEach((name, encrypted) -> values.put(name, cipher.decrypt(name, encrypted)));
            return values;
        } catch (IllegalStateException | IllegalArgumentException | SecretUnreadableException e) {
            throw new StartRefusedException("The secrets of 'taskexec dev' cannot be used: " + e.getMessage());
        }
    }
}
