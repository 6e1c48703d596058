package io.taskexec.model;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Bytes that are equal for JSON values that are equal, and only for those: the order of members, white space, escapes
 * and the spelling of numbers (1, 1.0, 10e-1) make no difference. Each request that creates a job is written once, so
 * that lengths and numbers are short, and nothing is copied that need not be.
 */
final class CanonicalJson {
    private static final int FIRST_SIZE = 256;
    private static final int BASE = 10;

    /** Below it, digits are written as a number; from it on, as text. */
    private static final long LARGE = 1_000_000_000_000_000_000L;

    private static final int LARGE_DIGITS = 18;

    /** A byte of a number has seven bits of it, and says whether another one follows. */
    private static final int BITS = 7;

    private static final int MORE = 1 << BITS;
    private static final int MAX_BYTES = 10;

    private byte[] bytes = new byte[FIRST_SIZE];
    private int size;

    private CanonicalJson() {}

    /**
     * Those of several texts and JSON values, one after the other. Before each is its length in four bytes, which is -1
     * for null.
     */
    static ByteBuffer of(@Nullable Object... parts) {
        var canonical = new CanonicalJson();
        for (var part : parts) {
            canonical.addPart(part);
        }
        return ByteBuffer.wrap(canonical.bytes, 0, canonical.size);
    }

    private void addPart(@Nullable Object part) {
        reserve(Integer.BYTES);
        var start = size += Integer.BYTES;
        switch (part) {
            case null -> {}
            case JsonNode tree -> add(tree);
            default -> addCharacters(part.toString());
        }
        var length = part == null ? -1 : size - start;
        for (var i = start - 1; i >= start - Integer.BYTES; i--) {
            bytes[i] = (byte) length;
            length >>= Byte.SIZE;
        }
    }

    private void add(JsonNode node) {
        switch (node.getNodeType()) {
            case OBJECT -> addMembers((ObjectNode) node);
            case ARRAY -> addElements((ArrayNode) node);
            case STRING -> addText(node.textValue());
            case NUMBER -> addNumber(node);
            case BOOLEAN -> addKind(node.booleanValue() ? 't' : 'f');
            case NULL -> addKind('n');
            case BINARY, MISSING, POJO -> throw new IllegalArgumentException(node.getNodeType() + " is not of JSON");
        }
    }

    private void addMembers(ObjectNode object) {
        addKind('{');
        addCount(object.size());
        var members = new ArrayList<>(object.properties());
        members.sort(Map.Entry.comparingByKey());
        for (var member : members) {
            addText(member.getKey());
            add(member.getValue());
        }
    }

    private void addElements(ArrayNode array) {
        addKind('[');
        addCount(array.size());
        for (var element : array) {
            add(element);
        }
    }

    /** In UTF-8, with the number of characters before it. */
    private void addText(String text) {
        addKind('"');
        addCount(text.length());
        addCharacters(text);
    }

    private void addCharacters(String text) {
        var length = text.length();
        reserve(length);
        for (var i = 0; i < length; i++) {
            var letter = text.charAt(i);
            if (letter >= MORE) {
                addBytes(text.substring(i).getBytes(StandardCharsets.UTF_8));
                return;
            }
            bytes[size++] = (byte) letter;
        }
    }

    private void addNumber(JsonNode number) {
        if (number.isInt() || number.isLong()) {
            var value = number.longValue();
            if (value > -LARGE && value < LARGE) {
                addSmall(value, 0);
                return;
            }
        }
        var decimal = number.decimalValue();
        if (decimal.precision() <= LARGE_DIGITS) {
            addSmall(decimal.unscaledValue().longValue(), -(long) decimal.scale());
        } else {
            addLarge(decimal);
        }
    }

    /** Never makes a number of the exponent, which may be a billion. */
    private void addLarge(BigDecimal number) {
        var digits = number.unscaledValue().abs().toString();
        var end = digits.length();
        while (end > 1 && digits.charAt(end - 1) == '0') {
            end--;
        }
        var exponent = (long) digits.length() - end - number.scale();
        if (end <= LARGE_DIGITS) {
            addSmall(number.signum() * Long.parseLong(digits, 0, end, BASE), exponent);
        } else {
            addKind(number.signum() < 0 ? '-' : '+');
            addText(digits.substring(0, end));
            addSigned(exponent);
        }
    }

    private void addSmall(long value, long scale) {
        var digits = value;
        var exponent = scale;
        while (digits != 0 && digits % BASE == 0) {
            digits /= BASE;
            exponent++;
        }
        addKind('#');
        addSigned(digits);
        addSigned(digits == 0 ? 0 : exponent);
    }

    /** Small numbers are short, negative ones too. */
    private void addSigned(long number) {
        addCount((number << 1) ^ (number >> (Long.SIZE - 1)));
    }

    private void addCount(long number) {
        reserve(MAX_BYTES);
        var rest = number;
        while ((rest & -MORE) != 0) {
            bytes[size++] = (byte) (rest | MORE);
            rest >>>= BITS;
        }
        bytes[size++] = (byte) rest;
    }

    private void addBytes(byte[] more) {
        reserve(more.length);
        System.arraycopy(more, 0, bytes, size, more.length);
        size += more.length;
    }

    private void addKind(char kind) {
        reserve(1);
        bytes[size++] = (byte) kind;
    }

    private void reserve(int more) {
        if (bytes.length - size < more) {
            bytes = Arrays.copyOf(bytes, Math.max(bytes.length * 2, size + more));
        }
    }
}
