package io.taskexec.examples.cloudillo.store;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.regex.Pattern;

/** Ids that are the SHA-256 of what they name, in base64url. Who gets a file can check its id. */
public final class ContentId {
    private static final String FILE = "f1~";
    private static final String ACTION = "a1~";
    private static final Pattern FILE_ID = Pattern.compile("f1~[A-Za-z0-9_-]{43}");
    private static final int BUFFER = 65_536;

    private ContentId() {}

    /** Returns the id of a file, which is read piece by piece. */
    public static String ofFile(Path file) throws IOException {
        var digest = sha256();
        try (InputStream in = Files.newInputStream(file)) {
            var buffer = new byte[BUFFER];
            for (var read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                digest.update(buffer, 0, read);
            }
        }
        return FILE + encode(digest.digest());
    }

    /** Returns the id of an action, that of its token. */
    public static String ofToken(String token) {
        return ACTION + encode(sha256().digest(token.getBytes(StandardCharsets.US_ASCII)));
    }

    /** Tells whether it is an id of a file. No other text becomes part of a path. */
    public static boolean isFileId(String text) {
        return FILE_ID.matcher(text).matches();
    }

    private static String encode(byte[] digest) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(digest);
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
