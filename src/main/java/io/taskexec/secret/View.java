package io.taskexec.secret;

/** A normal form of a text, in which forms of secrets are looked for, with where each of its characters comes from. */
final class View {
    /** Stands where something is that no form of a secret goes across. */
    private static final char BREAK = '\uffff';

    private static final int MAX_BYTE = 0xff;
    private static final int TOO_MUCH = 1_000;

    private final DecodedText source;
    private final char[] chars;
    private final int[] firsts;

    /** The same as {@link #firsts}, where each character is made from one. */
    private final int[] lasts;

    private int length;
    private String text = "";

    private View(DecodedText source, boolean isOneForOne) {
        this.source = source;
        this.chars = new char[source.length()];
        this.firsts = new int[source.length()];
        this.lasts = isOneForOne ? firsts : new int[source.length()];
    }

    /** Every character, as it is. */
    static View exact(DecodedText source) {
        var view = new View(source, true);
        for (var i = 0; i < source.length(); i++) {
            view.add(source.charAt(i), i);
        }
        return view.done();
    }

    /** In small letters, without what changes on the way: white space, quotes and the like. */
    static View folded(DecodedText source) {
        var view = new View(source, true);
        for (var i = 0; i < source.length(); i++) {
            var c = source.charAt(i);
            if (!CharacterKinds.isDropped(c)) {
                view.add(CharacterKinds.small(c), i);
            }
        }
        return view.done();
    }

    /** The characters of base64, of its other alphabet too, without line breaks. */
    static View base64(DecodedText source) {
        var view = new View(source, true);
        for (var i = 0; i < source.length(); i++) {
            var c = source.charAt(i);
            if (CharacterKinds.isBase64(c) || c == '=') {
                view.add(c, i);
            } else if (c == '-') {
                view.add('+', i);
            } else if (c == '_') {
                view.add('/', i);
            } else if (!CharacterKinds.isSpace(c)) {
                view.interrupt(i);
            }
        }
        return view.done();
    }

    /** Hexadecimal digits in small letters, without what separates bytes, {@code 0x} and {@code \x} among it. */
    static View hex(DecodedText source) {
        var view = new View(source, true);
        for (var i = 0; i < source.length(); i++) {
            var c = source.charAt(i);
            if (CharacterKinds.isHex(c)) {
                view.add(CharacterKinds.small(c), i);
            } else if (c == 'x' || c == 'X') {
                view.startByte(i);
            } else if (!CharacterKinds.separatesBytes(c)) {
                view.interrupt(i);
            }
        }
        view.dropCutByte();
        return view.done();
    }

    /** Bytes that are written as decimal numbers in a list, with a sign or without. */
    static View numbers(DecodedText source) {
        var view = new View(source, false);
        var i = 0;
        while (i < source.length()) {
            var c = source.charAt(i);
            if (c >= '0' && c <= '9') {
                i = view.addNumber(i);
                continue;
            }
            if (c != ',' && c != '-' && !CharacterKinds.isSpace(c)) {
                view.interrupt(i);
            }
            i++;
        }
        return view.done();
    }

    private int addNumber(int first) {
        var number = 0;
        var next = first;
        while (next < source.length() && source.charAt(next) >= '0' && source.charAt(next) <= '9') {
            number = Math.min(TOO_MUCH, number * 10 + source.charAt(next) - '0');
            next++;
        }
        var isNegative = first > 0 && source.charAt(first - 1) == '-';
        if (number > MAX_BYTE) {
            interrupt(first);
        } else if (next < source.length()) {
            // At the end of a text, it may have been cut.
            lasts[length] = next - 1;
            firsts[length] = isNegative ? first - 1 : first;
            chars[length++] = (char) ((isNegative ? -number : number) & MAX_BYTE);
        }
        return next;
    }

    private void startByte(int index) {
        var isPrefix = length > 0 && chars[length - 1] == '0' && lasts[length - 1] == index - 1;
        if (isPrefix) {
            length--;
        } else if (index == 0 || source.charAt(index - 1) != '\\') {
            interrupt(index);
        }
    }

    /** A zero after a separator at the end of a text may be that of {@code 0x}. */
    private void dropCutByte() {
        var isAlone = length > 1 && lasts[length - 2] < lasts[length - 1] - 1;
        if (isAlone && chars[length - 1] == '0' && lasts[length - 1] == source.length() - 1) {
            length--;
        }
    }

    private void interrupt(int index) {
        if (length == 0 || chars[length - 1] != BREAK) {
            add(BREAK, index);
        }
    }

    private void add(char c, int index) {
        chars[length] = c;
        lasts[length] = index;
        firsts[length++] = index;
    }

    private View done() {
        text = new String(chars, 0, length);
        return this;
    }

    DecodedText source() {
        return source;
    }

    String text() {
        return text;
    }

    /** Of the source's characters, the first that this one was made from. */
    int first(int index) {
        return firsts[index];
    }

    /** Of the source's characters, the last that this one was made from. */
    int last(int index) {
        return lasts[index];
    }
}
