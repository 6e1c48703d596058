package io.taskexec.api.web;

import io.taskexec.model.Sha256;
import java.nio.charset.StandardCharsets;
import java.util.Base64;

/** A page of HTML that is one text with a style of its own, and without scripts. */
public final class PlainPage {
    private PlainPage() {}

    /** The text for any place of a page, in quotes or between tags. */
    public static String escape(String text) {
        return escapeContent(text).replace("\"", "&quot;").replace("'", "&#39;");
    }

    /** The text between tags, where quotes stay as they are. */
    public static String escapeContent(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
    }

    /**
     * The content security policy: the browser applies this style, which it knows by its digest, and nothing else that
     * is written into the page.
     *
     * @param formAction where forms may be sent to
     */
    public static String policy(String style, String formAction) {
        var digest = Sha256.digest().digest(style.getBytes(StandardCharsets.UTF_8));
        return "default-src 'none'; style-src 'sha256-%s'; base-uri 'none'; form-action %s; frame-ancestors 'none'"
                .formatted(Base64.getEncoder().encodeToString(digest), formAction);
    }

    /**
     * The whole page.
     *
     * @param title as it is to be shown
     * @param head lines of HTML for its head, or none
     * @param body lines of HTML
     */
    public static String html(String title, String style, String head, String body) {
        return """
                <!DOCTYPE html>
                <html lang="en">
                <head>
                <meta charset="utf-8">
                <meta name="viewport" content="width=device-width, initial-scale=1">
                %s<title>%s</title>
                <style>%s</style>
                </head>
                <body>
                %s</body>
                </html>
                """.formatted(head, escape(title), style, body);
    }
}
