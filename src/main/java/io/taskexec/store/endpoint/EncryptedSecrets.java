package io.taskexec.store.endpoint;

import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;

/** Reads the stored values of secrets without anything of a server, for commands that need no more. */
public final class EncryptedSecrets {
    private static final String SELECT = "SELECT name, encrypted_value FROM secrets WHERE name = ANY (?)";

    private EncryptedSecrets() {}

    /** The encrypted values by name; names that do not exist are absent. Throws IllegalStateException. */
    public static Map<String, byte[]> read(String jdbcUrl, String user, String password, Collection<String> names) {
        try (var connection = DriverManager.getConnection(jdbcUrl, user, password);
                var statement = connection.prepareStatement(SELECT)) {
            statement.setArray(1, connection.createArrayOf("text", names.toArray()));
            var values = new HashMap<String, byte[]>();
            try (var rows = statement.executeQuery()) {
                while (rows.next()) {
                    values.put(rows.getString(1), rows.getBytes(2));
                }
            }
            return values;
        } catch (SQLException e) {
            throw new IllegalStateException("The secrets cannot be read: " + e.getMessage(), e);
        }
    }
}
