package io.taskexec.cli.noun;

import java.util.Locale;

/** What the help calls the thing that a command is about. */
final class Labels {
    private Labels() {}

    static String of(Noun noun) {
        return noun.id().equals("name") ? "NAME" : noun.id().toUpperCase(Locale.ROOT);
    }
}
