package io.taskexec.store.sql;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.vertx.mutiny.sqlclient.Tuple;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The conditions of a statement, those only that are asked for; {@code ?} stands for their value. */
public final class Conditions {
    private final List<String> conditions = new ArrayList<>();
    private final List<Object> values;

    public Conditions() {
        this(new ArrayList<>());
    }

    private Conditions(List<Object> values) {
        this.values = values;
    }

    /** Conditions of another part of the same statement, whose values come after these. */
    public Conditions elsewhere() {
        return new Conditions(values);
    }

    /** Adds a condition unless its value is null. */
    @CanIgnoreReturnValue
    public Conditions and(String condition, @Nullable Object value) {
        if (value != null) {
            conditions.add(condition.strip().replace("?", next()));
            values.add(value);
        }
        return this;
    }

    /** Adds a condition without a value. */
    @CanIgnoreReturnValue
    public Conditions andWhen(boolean wanted, String condition) {
        if (wanted) {
            conditions.add(condition.strip());
        }
        return this;
    }

    /** The clause, empty when there is no condition. */
    public String where() {
        return conditions.isEmpty() ? "" : "WHERE " + String.join("\n  AND ", conditions) + "\n";
    }

    /** All conditions as one, which is true without any. */
    public String all() {
        return conditions.isEmpty() ? "true" : String.join(" AND ", conditions);
    }

    /** The name of the parameter that comes after those of the conditions. */
    public String next() {
        return "$" + (values.size() + 1);
    }

    /** The values of the conditions and one more. */
    public Tuple parameters(Object last) {
        var all = Tuple.tuple(new ArrayList<>(values));
        return all.addValue(last);
    }
}
