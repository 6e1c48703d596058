package io.taskexec.web.page;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.taskexec.model.Json;
import org.junit.jupiter.api.Test;

class VersionDifferenceTest {
    private static ObjectNode version(String text) throws Exception {
        return (ObjectNode) Json.parse(text);
    }

    @Test
    void linesAreThoseThatChangedWithTheirNeighbours() throws Exception {
        var from = version("""
                {"name": "a", "version": 1, "type": "HTTP", "spec": {"url": "http://a/", "timeout_ms": 5}}""");
        var to = version("""
                {"name": "a", "version": 2, "spec": {"timeout_ms": 5, "url": "http://b/"}, "type": "HTTP"}""");

        assertThat(VersionDifference.of(from, to))
                .extracting(line -> line.get("kind") + " " + line.get("text"))
                .containsExactly(
                        "place @@ -1,7 +1,7 @@",
                        "same  {",
                        "same    \"spec\" : {",
                        "same      \"timeout_ms\" : 5,",
                        "removed -    \"url\" : \"http://a/\"",
                        "added +    \"url\" : \"http://b/\"",
                        "same    },",
                        "same    \"type\" : \"HTTP\"",
                        "same  }");
    }

    @Test
    void whatEachVersionHasOfItsOwnAndTheOrderOfMembersAreNoDifference() throws Exception {
        assertThat(VersionDifference.of(
                        version("{\"version\": 1, \"a\": [{\"b\": 1, \"c\": 2}], \"updated_at\": \"x\"}"),
                        version("{\"version\": 2, \"a\": [{\"c\": 2, \"b\": 1}], \"updated_at\": \"y\"}")))
                .isEmpty();
    }

    @Test
    void aLongLineIsCut() throws Exception {
        assertThat(VersionDifference.of(version("{}"), version("{\"a\": \"" + "x".repeat(2000) + "\"}")))
                .extracting(line -> String.valueOf(line.get("text")).length())
                .allMatch(length -> length <= 201)
                .anyMatch(length -> length == 201);
    }
}
