package io.taskexec.web.frame;

import io.quarkus.qute.RawString;

/** Writes texts into HTML. */
public final class Html {
    private Html() {}

    /** The text for any place of a page, in quotes or between tags. */
    public static String escape(String text) {
        return escapeContent(text).replace("\"", "&quot;").replace("'", "&#39;");
    }

    /** The text between tags, where quotes stay as they are. */
    static String escapeContent(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
    }

    /** HTML that a template takes over as it is. */
    public static RawString raw(String html) {
        return new RawString(html);
    }
}
