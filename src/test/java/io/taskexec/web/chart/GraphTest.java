package io.taskexec.web.chart;

import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.web.chart.Graph.Node;
import java.util.List;
import org.junit.jupiter.api.Test;

class GraphTest {
    private static Node node(String name, String... parents) {
        return new Node(name, List.of(parents), "SUCCESS", "success", "/ui/jobs/" + name, false);
    }

    @Test
    void aJobStandsRightOfAllThatItWaitsFor() {
        // The last of a chain comes first, as names of JSON may.
        var graph = new Graph(List.of(node("c", "a", "b"), node("b", "a"), node("a")));

        assertThat(graph.draw(text -> text))
                .contains("x=\"2\" y=\"2\"", "x=\"202\" y=\"2\"", "x=\"402\" y=\"2\"")
                .contains("width=\"556\"")
                .containsPattern("(<path class=\"edge\"[^>]+>){3}");
    }

    @Test
    void namesAreEscapedAndLongOnesKeepTheirEnds() {
        var graph = new Graph(List.of(node("a-name-of-more-than-twenty-characters")));

        assertThat(graph.draw(text -> "[" + text + "]"))
                .contains("[a-name-of-…haracters]", "[a-name-of-more-than-twenty-characters]: SUCCESS");
    }
}
