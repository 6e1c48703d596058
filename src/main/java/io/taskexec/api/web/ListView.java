package io.taskexec.api.web;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.taskexec.model.Page;
import io.taskexec.store.endpoint.PageQuery.Position;
import io.taskexec.store.job.JobStore.VersionPlace;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
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
    public static <S, T> ListView<T> named(Page<S, Position> page, Function<S, T> view) {
        return new ListView<>(page.items().stream().map(view).toList(), Cursor.ofPosition(page));
    }

    public static <S, T> ListView<T> byTime(Page<S, Instant> page, Function<S, T> view) {
        return new ListView<>(page.items().stream().map(view).toList(), Cursor.ofTime(page));
    }

    public static <S, T> ListView<T> byNumber(Page<S, Integer> page, Function<S, T> view) {
        return new ListView<>(page.items().stream().map(view).toList(), Cursor.ofNumber(page));
    }

    public static <S, T> ListView<T> byVersion(Page<S, VersionPlace> page, Function<S, T> view) {
        return new ListView<>(page.items().stream().map(view).toList(), Cursor.ofVersion(page));
    }

    public static <S, T> ListView<T> ofLog(Page<S, LogPlace> page, Function<S, T> view) {
        return new ListView<>(page.items().stream().map(view).toList(), Cursor.ofLogPlace(page));
    }

    public static <S, T> ListView<T> byId(Page<S, UUID> page, Function<S, T> view) {
        return new ListView<>(page.items().stream().map(view).toList(), Cursor.ofId(page));
    }
}
