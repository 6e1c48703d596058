package io.taskexec.transfer;

import io.taskexec.secret.KeyRing;
import io.taskexec.secret.SecretCipher;
import io.taskexec.secret.SecretUnreadableException;
import io.taskexec.store.Part;
import io.taskexec.store.TransferException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Opens secrets with one key and closes them with another. In between they are in memory alone, one at a time. */
public final class Rekeying {
    private static final String KIND = "secrets";
    private static final HexFormat HEX = HexFormat.of();

    private final @Nullable SecretCipher from;
    private final @Nullable SecretCipher to;

    private Rekeying(@Nullable SecretCipher from, @Nullable SecretCipher to) {
        this.from = from;
        this.to = to;
    }

    /** Leaves secrets as they are. */
    public static Rekeying none() {
        return new Rekeying(null, null);
    }

    /** From the keys that open to the one that closes, which is the first of {@code to}. */
    public static Rekeying between(KeyRing from, KeyRing to) {
        return new Rekeying(new SecretCipher(from), new SecretCipher(to));
    }

    List<@Nullable String> apply(Part part, List<@Nullable String> row) {
        if (from == null || to == null || !part.name().equals(KIND)) {
            return row;
        }
        var changed = new ArrayList<@Nullable String>(row);
        for (var i = 0; i < changed.size(); i++) {
            if (part.columns().get(i).name().equals("encrypted_value")) {
                changed.set(i, closed(from, to, text(row.getFirst()), text(row.get(i))));
            }
        }
        return changed;
    }

    private static String closed(SecretCipher from, SecretCipher to, String name, String hex) {
        try {
            return HEX.formatHex(to.encrypt(name, from.decrypt(name, HEX.parseHex(hex))));
        } catch (SecretUnreadableException | IllegalArgumentException e) {
            throw new TransferException("A secret cannot be taken along: " + e.getMessage() + ".");
        }
    }

    private static String text(@Nullable String value) {
        return Objects.requireNonNullElse(value, "");
    }
}
