package io.taskexec.web.frame;

import io.taskexec.model.Sha256;
import io.vertx.core.buffer.Buffer;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Styles, scripts and the icon. Their names have a digest of what they are, so that a browser may keep them. */
@Singleton
final class Assets {
    private static final int DIGEST_BYTES = 8;
    private static final Map<String, String> TYPES = Map.of(
            "app.css", "text/css;charset=UTF-8",
            "app.js", "text/javascript;charset=UTF-8",
            "htmx.min.js", "text/javascript;charset=UTF-8",
            "icon.svg", "image/svg+xml");

    private final Map<String, Asset> byPath = new HashMap<>();
    private final Map<String, String> paths = new HashMap<>();

    /** A file with its media type. */
    record Asset(Buffer content, String type) {}

    Assets() {
        TYPES.forEach((name, type) -> {
            var content = Resources.read("assets/" + name);
            var path = digest(content) + "-" + name;
            byPath.put(path, new Asset(Buffer.buffer(content), type));
            paths.put(name.replaceAll("\\..*", "_") + name.replaceAll(".*\\.", ""), path);
        });
    }

    /** The file with this name, null when there is none. */
    @Nullable
    Asset find(String path) {
        return byPath.get(path);
    }

    /** The names with digests, by those without, such as {@code app_css}. */
    Map<String, String> paths() {
        return paths;
    }

    private static String digest(byte[] content) {
        return HexFormat.of().formatHex(Sha256.digest().digest(content), 0, DIGEST_BYTES);
    }

    /** Reads the files of the dashboard. */
    static final class Resources {
        private Resources() {}

        static byte[] read(String name) {
            try (var file = Assets.class.getResourceAsStream("/web/" + name)) {
                if (file == null) {
                    throw new IllegalStateException("the program has no file web/" + name);
                }
                return file.readAllBytes();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
