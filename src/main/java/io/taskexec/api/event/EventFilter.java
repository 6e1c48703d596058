package io.taskexec.api.event;

import io.taskexec.api.web.QueryText;
import io.taskexec.model.PublicId;
import io.taskexec.model.job.ExecutionEvent;
import io.taskexec.model.job.ExecutionEvent.Kind;
import io.taskexec.request.Choice;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jboss.resteasy.reactive.RestQuery;
import org.jspecify.annotations.Nullable;

/** The query parameters that narrow a stream of events down: each may have several values, of which one must fit. */
class EventFilter {
    @RestQuery
    @Nullable
    List<String> endpoint;

    @RestQuery("job_id")
    @Nullable
    List<String> jobId;

    @RestQuery("execution_id")
    @Nullable
    List<String> executionId;

    @RestQuery
    @Nullable
    List<String> type;

    Predicate<ExecutionEvent> read() {
        var endpoints = QueryText.list("endpoint", endpoint);
        var jobs = ids("job_id", jobId, PublicId.JOB);
        var executions = ids("execution_id", executionId, PublicId.EXECUTION);
        var kinds = each("type", type, Kind::ofType, EventFilter::expectedType);
        return event -> fits(endpoints, event.endpoint())
                && fits(jobs, event.jobId())
                && fits(executions, event.executionId())
                && fits(kinds, event.kind());
    }

    private static <T> boolean fits(Set<T> wanted, @Nullable T value) {
        return wanted.isEmpty() || (value != null && wanted.contains(value));
    }

    private static Set<UUID> ids(String name, @Nullable List<String> texts, PublicId kind) {
        return each(name, texts, kind::parse, _ -> "ids, such as " + kind.show(new UUID(0, 0)));
    }

    private static String expectedType(String given) {
        return "types of events, such as " + Kind.SUCCESS.type() + Choice.hint(given, Kind.types());
    }

    private static <T> Set<T> each(
            String name,
            @Nullable List<String> texts,
            Function<String, @Nullable T> reader,
            Function<String, String> expected) {
        return QueryText.list(name, texts).stream()
                .map(text -> {
                    var value = reader.apply(text);
                    if (value == null) {
                        throw QueryText.invalid(name, expected.apply(text));
                    }
                    return value;
                })
                .collect(Collectors.toUnmodifiableSet());
    }
}
