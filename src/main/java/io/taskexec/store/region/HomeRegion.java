package io.taskexec.store.region;

import java.util.regex.Pattern;

/** The name of the region of a process, as the statements write it that create rows. */
public record HomeRegion(String name) {
    private static final Pattern NAME = Pattern.compile("[a-z0-9-]{1,63}");

    /** The region that columns have by themselves. */
    public static final HomeRegion DEFAULT = new HomeRegion("default");

    /** Throws {@link IllegalArgumentException} for what is no name, so that it may be a part of a statement. */
    public HomeRegion {
        if (!NAME.matcher(name).matches()) {
            throw new IllegalArgumentException(
                    "a region has 1 to 63 of a-z, 0-9 and '-' in its name, unlike '" + name + "'");
        }
    }

    /** The end of a list of columns; nothing in the default region, whose statements stay as short as they can be. */
    public String column() {
        return equals(DEFAULT) ? "" : ", region";
    }

    /** The end of a list of values, likewise. */
    public String value() {
        return equals(DEFAULT) ? "" : ", '" + name + "'";
    }
}
