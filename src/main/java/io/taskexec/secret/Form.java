package io.taskexec.secret;

import java.util.function.Function;

/** The notations that a secret is looked for in, each with the view of a text that has all its spellings alike. */
enum Form {
    EXACT(6, View::exact),
    FOLDED(6, View::folded),
    BASE64(6, View::base64),
    HEX(12, View::hex),
    NUMBERS(6, View::numbers);

    private final int least;

    @SuppressWarnings("ImmutableEnumChecker") // a reference to a method holds nothing
    private final Function<DecodedText, View> view;

    Form(int least, Function<DecodedText, View> view) {
        this.least = least;
        this.view = view;
    }

    /** The least number of characters: shorter forms occur in texts by chance. */
    int least() {
        return least;
    }

    View of(DecodedText text) {
        return view.apply(text);
    }
}
