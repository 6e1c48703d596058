package io.taskexec.api.web;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.taskexec.model.Page;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Part of a list.
 *
 * @param cursor asks for the next part; null at the end
 */
public record ListView<T>(
        List<T> items,
        @JsonInclude(JsonInclude.Include.ALWAYS) @Nullable String cursor) {
    /** The items of {@code page} as they are shown. */
    public static <S, T> ListView<T> of(Page<S, ?> page, Function<S, T> view) {
        return new ListView<>(page.items().stream().map(view).toList(), Cursor.of(page.next()));
    }
}
