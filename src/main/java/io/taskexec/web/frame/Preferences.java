package io.taskexec.web.frame;

import static java.util.Objects.requireNonNullElse;

import io.vertx.core.http.HttpServerRequest;
import java.time.DateTimeException;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The wishes of a reader, kept in cookies of the browser.
 *
 * @param theme auto, light or dark
 */
public record Preferences(ZoneId zone, String theme) {
    static final String ZONE = "te_zone";
    static final String THEME = "te_theme";

    private static final Set<String> THEMES = Set.of("auto", "light", "dark");

    static Preferences of(HttpServerRequest request) {
        var zone = request.getCookie(ZONE);
        var theme = request.getCookie(THEME);
        var chosen = zone == null ? null : zoneOf(zone.getValue());
        return new Preferences(
                requireNonNullElse(chosen, ZoneOffset.UTC), theme == null ? "auto" : themeOf(theme.getValue()));
    }

    /** The zone of this name, null when there is no such zone. */
    static @Nullable ZoneId zoneOf(String name) {
        try {
            return name.equals("UTC") ? ZoneOffset.UTC : ZoneId.of(name);
        } catch (DateTimeException _) {
            return null;
        }
    }

    static String themeOf(String name) {
        return THEMES.contains(name) ? name : "auto";
    }

    /** The name of the zone as the pages show it. */
    String zoneName() {
        return zone.equals(ZoneOffset.UTC) ? "UTC" : zone.getId();
    }
}
