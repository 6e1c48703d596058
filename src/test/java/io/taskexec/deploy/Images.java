package io.taskexec.deploy;

import java.util.Set;
import java.util.regex.Pattern;

/** Reads references to images. */
final class Images {
    /** A tag of an exact version, for people, and the digest that decides. */
    private static final Pattern PINNED = Pattern.compile("[a-z0-9./-]+:v?\\d+\\.\\d+[\\w.-]*@sha256:[0-9a-f]{64}");

    /** Digests that could not be looked up when they were pinned: deploy/README.md says how it is done. */
    private static final Set<String> NOT_YET_PINNED = Set.of("cockroachdb/cockroach:v25.2.3");

    private Images() {}

    static boolean isPinned(String image) {
        return PINNED.matcher(image).matches();
    }

    static boolean isNotYetPinned(String image) {
        return NOT_YET_PINNED.contains(image);
    }
}
