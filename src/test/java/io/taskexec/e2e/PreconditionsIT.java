package io.taskexec.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.restassured.http.ContentType;
import io.restassured.response.Response;
import io.taskexec.testing.Api;
import io.taskexec.testing.ServerTest;
import jakarta.inject.Inject;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Executors;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Entity tags, and reads and writes that depend on them. */
@ServerTest(roles = "api")
class PreconditionsIT {
    @Inject
    private static Api api;

    /** A kind of resource with a name, and therefore a tag. */
    enum Noun {
        PAYLOAD_SPECS("/payload-specs", "\"schema\": {\"title\": \"%s\"}"),
        CONFIGS("/configs", "\"values\": {\"a\": \"%s\"}"),
        SECRETS("/secrets", "\"value\": \"%s\""),
        ENDPOINTS(
                "/endpoints",
                "\"type\": \"HTTP\", \"spec\": {\"url\": \"http://127.0.0.1:9/%s\", \"method\": \"GET\"}");

        private final String path;
        private final String fields;

        Noun(String path, String fields) {
            this.path = path;
            this.fields = fields;
        }

        Response create(String name) {
            var body = "{\"name\": \"%s\", %s}".formatted(name, fields.formatted("first"));
            var response = api.post(path, body);
            assertThat(response.statusCode()).as(response.asString()).isEqualTo(201);
            return response;
        }

        String at(String name) {
            return path + "/" + name;
        }

        String body(String content) {
            return "{" + fields.formatted(content) + "}";
        }
    }

    private static String tag(Response response) {
        var tag = response.header("ETag");
        assertThat(tag).as("a strong tag").matches("\"[^\"]+\"");
        return tag;
    }

    private static Response put(Noun noun, String name, String content, String ifMatch) {
        return api.request()
                .header("If-Match", ifMatch)
                .contentType(ContentType.JSON)
                .body(noun.body(content))
                .put(noun.at(name));
    }

    private static Response delete(Noun noun, String name, String ifMatch) {
        return api.request().header("If-Match", ifMatch).delete(noun.at(name));
    }

    private static Response read(Noun noun, String name, String ifNoneMatch) {
        return api.request().header("If-None-Match", ifNoneMatch).get(noun.at(name));
    }

    private static void expectError(int status, String code, Response response) {
        assertThat(response.statusCode()).as(response.asString()).isEqualTo(status);
        assertThat(response.<String>path("error.code")).isEqualTo(code);
    }

    @ParameterizedTest
    @EnumSource
    void aTagStaysUntilTheResourceChangesAndNeverComesBack(Noun noun) {
        var tags = new ArrayList<String>();
        for (var life = 0; life < 3; life++) {
            var created = noun.create("tagged");
            tags.add(tag(created));
            assertThat(tag(api.get(noun.at("tagged")))).isEqualTo(tag(created));
            assertThat(tag(api.get(noun.at("tagged")))).isEqualTo(tag(created));
            for (var content : List.of("second", "second")) {
                var updated = api.put(noun.at("tagged"), noun.body(content));
                tags.add(tag(updated));
                assertThat(tag(api.get(noun.at("tagged")))).isEqualTo(tag(updated));
            }
            assertThat(api.delete(noun.at("tagged")).statusCode()).isEqualTo(204);
        }

        assertThat(tags).hasSize(9).doesNotHaveDuplicates();
    }

    @ParameterizedTest
    @EnumSource
    void aWriteThatIsMeantForAnotherStateChangesNothing(Noun noun) {
        var old = tag(noun.create("changed"));
        assertThat(put(noun, "changed", "second", old).statusCode()).isEqualTo(200);
        var before = api.get(noun.at("changed"));

        for (var stale : List.of(old, "\"other\"", "W/" + tag(before), old + ", \"other\", W/" + tag(before))) {
            expectError(412, "PRECONDITION_FAILED", put(noun, "changed", "third", stale));
            expectError(412, "PRECONDITION_FAILED", delete(noun, "changed", stale));
        }

        var after = api.get(noun.at("changed"));
        assertThat(after.asString()).isEqualTo(before.asString());
        assertThat(tag(after)).isEqualTo(tag(before));
    }

    @ParameterizedTest
    @EnumSource
    void aWriteThatIsMeantForThisStateHappens(Noun noun) {
        var tag = tag(noun.create("meant"));
        for (var condition : List.of("%s", "*", "\"other\", %s", "W/\"other\" ,, %s,")) {
            var response = put(noun, "meant", "next", condition.formatted(tag));
            assertThat(response.statusCode()).as(response.asString()).isEqualTo(200);
            tag = tag(response);
        }

        assertThat(delete(noun, "meant", tag).statusCode()).isEqualTo(204);
        expectError(404, noun.name().replaceFirst("S$", "_NOT_FOUND"), delete(noun, "meant", tag));
        expectError(404, noun.name().replaceFirst("S$", "_NOT_FOUND"), put(noun, "meant", "next", "*"));
    }

    @ParameterizedTest
    @EnumSource
    void aTagOfAFormerLifeDoesNotMatchTheNextOne(Noun noun) {
        var former = tag(noun.create("reborn"));
        assertThat(api.delete(noun.at("reborn")).statusCode()).isEqualTo(204);
        noun.create("reborn");

        expectError(412, "PRECONDITION_FAILED", put(noun, "reborn", "second", former));
        expectError(412, "PRECONDITION_FAILED", delete(noun, "reborn", former));
    }

    @ParameterizedTest
    @EnumSource
    void ofWritesAtOnceWithTheSameTagExactlyOneWins(Noun noun) throws Exception {
        var writers = 4;
        var tag = tag(noun.create("raced"));
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (var round = 0; round < 10; round++) {
                var start = new CyclicBarrier(writers);
                var condition = tag;
                var writes = new ArrayList<Callable<Response>>();
                for (var writer = 0; writer < writers; writer++) {
                    var content = "writer-" + writer;
                    writes.add(() -> {
                        start.await();
                        return put(noun, "raced", content, condition);
                    });
                }
                var responses = new ArrayList<Response>();
                for (var write : threads.invokeAll(writes)) {
                    responses.add(write.get());
                }

                var statuses =
                        responses.stream().map(Response::statusCode).sorted().toList();
                assertThat(statuses).containsExactly(200, 412, 412, 412);
                var winner = responses.stream()
                        .filter(response -> response.statusCode() == 200)
                        .findFirst()
                        .orElseThrow();
                assertThat(api.get(noun.at("raced")).asString()).isEqualTo(winner.asString());
                tag = tag(winner);
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void whatTheClientHasAlreadyIsNotSentAgain(Noun noun) {
        var tag = tag(noun.create("cached"));

        for (var known : List.of(tag, "W/" + tag, "*", "\"other\", " + tag)) {
            var response = read(noun, "cached", known);
            assertThat(response.statusCode()).as(known).isEqualTo(304);
            assertThat(response.asString()).isEmpty();
            assertThat(tag(response)).isEqualTo(tag);
        }
        var _ = api.update(noun.at("cached"), noun.body("second"));
        var changed = read(noun, "cached", tag);
        assertThat(changed.statusCode()).isEqualTo(200);
        assertThat(changed.asString()).isEqualTo(api.get(noun.at("cached")).asString());
        expectError(404, noun.name().replaceFirst("S$", "_NOT_FOUND"), read(noun, "nobody", "*"));
    }

    @ParameterizedTest
    @EnumSource
    void aMalformedConditionIsRefused(Noun noun) {
        var created = noun.create("kept");

        for (var malformed : List.of("kept", "\"a", "*, \"a\"", ",")) {
            expectError(400, "INVALID_REQUEST", put(noun, "kept", "second", malformed));
            expectError(400, "INVALID_REQUEST", delete(noun, "kept", malformed));
            expectError(400, "INVALID_REQUEST", read(noun, "kept", malformed));
        }
        assertThat(api.get(noun.at("kept")).asString()).isEqualTo(created.asString());
    }

    @ParameterizedTest
    @EnumSource
    void severalLinesOfConditionsAreOneList(Noun noun) {
        var tag = tag(noun.create("lines"));

        var response = api.request()
                .header("If-Match", "\"other\"", tag)
                .contentType(ContentType.JSON)
                .body(noun.body("second"))
                .put(noun.at("lines"));

        assertThat(response.statusCode()).as(response.asString()).isEqualTo(200);
        assertThat(response.<Map<String, Object>>path("$")).containsEntry("version", 2);
    }
}
