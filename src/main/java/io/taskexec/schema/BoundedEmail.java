package io.taskexec.schema;

import java.util.Optional;
import org.everit.json.schema.FormatValidator;
import org.everit.json.schema.internal.EmailFormatValidator;

/** The format {@code email}, whose check in the library takes minutes for some long texts. */
final class BoundedEmail implements FormatValidator {
    /** The longest address that mail servers pass on (RFC 5321, 4.5.3.1.3, less its angle brackets). */
    private static final int MAX_CHARACTERS = 254;

    private final FormatValidator library = new EmailFormatValidator();

    @Override
    public Optional<String> validate(String text) {
        return text.length() > MAX_CHARACTERS
                ? Optional.of("[" + Excerpt.of(text) + "] is not a valid email address")
                : library.validate(text);
    }

    @Override
    public String formatName() {
        return library.formatName();
    }
}
