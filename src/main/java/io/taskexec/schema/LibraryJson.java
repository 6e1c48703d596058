package io.taskexec.schema;

import com.fasterxml.jackson.databind.JsonNode;
import java.math.BigInteger;
import java.util.Set;
import org.json.JSONArray;
import org.json.JSONObject;

/** Turns our JSON trees into those of the validator library. */
final class LibraryJson {
    /** The library expands numbers to all their digits, of which a short exponent can make billions. */
    private static final int MAX_DIGITS = 1_000;

    /** Characters that take as long to look at as a value does. */
    private static final int CHARACTERS_PER_STEP = 8;

    private LibraryJson() {}

    /** The cost of reading a text once, in steps of a budget. */
    static long cost(String text) {
        return 1L + text.length() / CHARACTERS_PER_STEP;
    }

    private static long cost(Object value) {
        return value instanceof String text ? cost(text) : 1;
    }

    /** The same value for the library; throws UncheckableException. */
    static Object of(JsonNode node) {
        CheckBudget.charge(node.isTextual() ? cost(node.textValue()) : 1);
        return switch (node.getNodeType()) {
            case OBJECT -> object(node);
            case ARRAY -> array(node);
            case NUMBER -> number(node);
            case BOOLEAN -> node.booleanValue();
            case STRING -> node.textValue();
            case NULL, MISSING -> JSONObject.NULL;
            case BINARY, POJO -> node.asText();
        };
    }

    /** The same object for the library; throws UncheckableException. */
    static JSONObject object(JsonNode node) {
        var object = new BriefObject();
        node.properties().forEach(member -> {
            CheckBudget.charge(cost(member.getKey()));
            object.put(member.getKey(), of(member.getValue()));
        });
        return object;
    }

    private static JSONArray array(JsonNode node) {
        var array = new BriefArray();
        node.forEach(element -> array.put(of(element)));
        return array;
    }

    private static Number number(JsonNode node) {
        if (node.isIntegralNumber()) {
            return node.numberValue();
        }
        var decimal = node.decimalValue();
        if (Math.abs((long) decimal.scale()) > MAX_DIGITS) {
            throw new UncheckableException(
                    "a number has more than " + MAX_DIGITS + " digits before or after its decimal point");
        }
        var shortest = decimal.stripTrailingZeros();
        return shortest.scale() <= 0 ? integer(shortest.toBigInteger()) : shortest;
    }

    /**
     * Since draft 6, 1.0 is an integer; the library looks at the Java type only, and where it compares trees, takes
     * numbers of other types and spellings for others.
     */
    private static Number integer(BigInteger number) {
        if (number.bitLength() < Integer.SIZE) {
            return number.intValue();
        }
        return number.bitLength() < Long.SIZE ? (Number) number.longValue() : number;
    }

    /**
     * Prints itself as one word, because the library puts whole values into its messages, and charges the budget of the
     * check for each look at it.
     */
    private static final class BriefObject extends JSONObject {
        @Override
        public Object opt(String key) {
            var value = super.opt(key);
            CheckBudget.charge(cost(value));
            return value;
        }

        @Override
        public boolean has(String key) {
            CheckBudget.charge(1);
            return super.has(key);
        }

        @Override
        public Set<String> keySet() {
            CheckBudget.charge(1 + length());
            return super.keySet();
        }

        @Override
        public String toString() {
            return "the object";
        }
    }

    /** See {@link BriefObject}. */
    private static final class BriefArray extends JSONArray {
        @Override
        public Object opt(int index) {
            var value = super.opt(index);
            CheckBudget.charge(cost(value));
            return value;
        }

        @Override
        public String toString() {
            return "the array";
        }
    }
}
