package io.taskexec.web.frame;

import io.quarkus.qute.RawString;

/** Hands HTML to templates. */
public final class Html {
    private Html() {}

    /** HTML that a template takes over as it is. */
    public static RawString raw(String html) {
        return new RawString(html);
    }
}
