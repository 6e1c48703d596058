package io.taskexec.e2e;

import com.fasterxml.jackson.databind.JsonNode;
import io.taskexec.testing.ServerDb;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * The rows that requests must have left in the database, told from their answers alone: each row has the answer that
 * promised it, and each answer its rows. Nothing may be delivered meanwhile.
 */
final class ExpectedRows {
    /** The tables in which an accepted request leaves a row, and what tells that row. */
    private static final Map<String, String> TOLD = Map.ofEntries(
            Map.entry("payload_specs", "name"),
            Map.entry("configs", "name"),
            Map.entry("config_versions", "name || ' ' || version"),
            Map.entry("secrets", "name"),
            Map.entry("endpoints", "name"),
            Map.entry("endpoint_versions", "name || ' ' || version"),
            Map.entry("jobs", "replace(job_id::text, '-', '')"),
            Map.entry("schedules", "replace(job_id::text, '-', '')"),
            Map.entry("job_tags", "replace(job_id::text, '-', '') || ' ' || tag"),
            Map.entry("exec_live", "replace(job_id::text, '-', '')"),
            Map.entry("idempotency_keys", "replace(job_id::text, '-', '')"),
            Map.entry("operations", "replace(operation_id::text, '-', '')"),
            Map.entry("audit_log", "request_id"),
            // No request leaves one, but the process itself says every few seconds that it lives.
            Map.entry("region_heartbeats", "region || ' ' || component"));

    private static final Set<String> SCHEDULED = Set.of("CRON", "INTERVAL");

    /**
     * What follows from the rows above without being told: which secrets endpoints name, and counters; and queues,
     * which a request may delete and another one put again. Both leave a row of the audit log.
     */
    private static final Set<String> DERIVED = Set.of("endpoint_secrets", "epochs", "activity_minutes", "queues");

    private final ServerDb db;
    private final Set<String> before;
    private final Set<String> added = ConcurrentHashMap.newKeySet();
    private final Set<String> removed = ConcurrentHashMap.newKeySet();

    /** Begins with what is there. */
    ExpectedRows(ServerDb db) {
        this.db = db;
        this.before = actual();
    }

    /** What is there now; of tables in which no request leaves a row, whole rows. */
    Set<String> actual() {
        var tables = db.texts("SELECT table_name FROM information_schema.tables WHERE table_schema = 'public'");
        var all = tables.stream()
                .filter(Predicate.not(DERIVED::contains))
                .map(table ->
                        "SELECT '%s ' || %s FROM %s t".formatted(table, TOLD.getOrDefault(table, "t::text"), table))
                .collect(Collectors.joining(" UNION ALL "));
        return new TreeSet<>(db.texts(all));
    }

    /** What must be there now. */
    Set<String> expected() {
        var rows = new TreeSet<>(before);
        rows.addAll(added);
        rows.removeAll(removed);
        return rows;
    }

    /** Notes a request that was answered with 2xx. */
    void accepted(MalformedRequest request, RawConnection.Response response) {
        switch (request.method()) {
            case "POST" -> posted(response);
            case "PUT", "PATCH" -> {
                var body = ApiDocument.parse(response.body());
                if (body.has("job_id")) {
                    job(body);
                } else {
                    version(segment(request.path(), 1), body);
                }
                audited(response);
            }
            case "DELETE" -> {
                removed.add(table(segment(request.path(), 1)) + " " + segment(request.path(), 2));
                audited(response);
            }
            default -> {}
        }
    }

    private void posted(RawConnection.Response response) {
        var body = ApiDocument.parse(response.body());
        if (body.has("items")) {
            body.path("items").valueStream().filter(ExpectedRows::isCreated).forEach(item -> keyed(item.path("job")));
        } else if (body.has("job_id")) {
            if (response.status() == 201) {
                keyed(body);
            }
        } else if (body.has("operation_id")) {
            added.add("operations " + body.path("operation_id").asText().replaceFirst("^op_", ""));
            audited(response);
        } else if (!body.has("sample")) {
            var noun = segment(response.header("location"), 1);
            if (!DERIVED.contains(noun)) {
                added.add(table(noun) + " " + body.path("name").asText());
            }
            version(noun, body);
            audited(response);
        }
    }

    private static boolean isCreated(JsonNode item) {
        return item.path("status").asInt() == 201;
    }

    private void keyed(JsonNode job) {
        job(job);
        if (job.has("idempotency_key")) {
            added.add("idempotency_keys " + id(job));
        }
    }

    private void job(JsonNode job) {
        added.add("jobs " + id(job));
        added.add((SCHEDULED.contains(job.path("trigger").asText()) ? "schedules " : "exec_live ") + id(job));
        job.path("tags").forEach(tag -> added.add("job_tags " + id(job) + " " + tag.asText()));
    }

    private static String id(JsonNode job) {
        return job.path("job_id").asText().replaceFirst("^job_", "");
    }

    private void version(String noun, JsonNode body) {
        var row = " " + body.path("name").asText() + " " + body.path("version").asText();
        switch (noun) {
            case "configs" -> added.add("config_versions" + row);
            case "endpoints" -> added.add("endpoint_versions" + row);
            default -> {}
        }
    }

    private void audited(RawConnection.Response response) {
        added.add("audit_log " + response.header("x-request-id"));
    }

    private static String table(String noun) {
        return noun.replace('-', '_');
    }

    /** Of a path, which may be spelled in many ways. */
    private static String segment(String path, int index) {
        var segments = path.split("[/?;]+", -1);
        return index < segments.length ? segments[index] : "";
    }
}
