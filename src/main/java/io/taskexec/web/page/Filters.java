package io.taskexec.web.page;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.taskexec.web.frame.Display;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Keeps the filters of a list in addresses and forms. */
final class Filters {
    private Filters() {}

    /** The words of a choice. */
    static List<String> names(Enum<?>... values) {
        return Arrays.stream(values).map(Enum::name).toList();
    }

    /** The values that are set, with the {@code query} that says the same. */
    static ObjectNode of(Function<String, @Nullable String> parameters, List<String> names) {
        var filter = JsonNodeFactory.instance.objectNode();
        var query = new ArrayList<String>();
        names.forEach(name -> {
            var value = parameters.apply(name);
            if (value != null) {
                filter.put(name, value);
                query.add(name + "=" + Display.encode(value));
            }
        });
        return filter.put("query", String.join("&", query));
    }
}
