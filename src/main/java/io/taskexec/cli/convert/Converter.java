package io.taskexec.cli.convert;

import io.taskexec.cli.text.MalformedTextException;

/** Reads the schedules of one format. */
@FunctionalInterface
interface Converter {
    /**
     * Adds what a file has; throws when it is not of the format.
     *
     * @param file its name in messages
     */
    void convert(String file, String text, Conversion into) throws MalformedTextException;
}
