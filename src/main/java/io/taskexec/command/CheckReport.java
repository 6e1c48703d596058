package io.taskexec.command;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.taskexec.model.Finding;
import io.taskexec.model.Json;
import java.util.List;
import java.util.stream.Collectors;

/** Findings as they are printed, with examples of what does not hold. */
record CheckReport(List<Finding> findings) {
    boolean isClean() {
        return findings.stream().noneMatch(Finding::isViolation);
    }

    /** For people: a line for each invariant. */
    String table() {
        return findings.stream().map(CheckReport::line).collect(Collectors.joining());
    }

    private static String line(Finding finding) {
        var invariant = finding.invariant();
        var head = "%-9s  %-25s  %s%n".formatted(status(finding), invariant.name(), invariant.sentence());
        return finding.count() == 0
                ? head
                : head
                        + "           %d found: %s%s%n"
                                .formatted(
                                        finding.count(),
                                        String.join(", ", finding.examples()),
                                        finding.count() > finding.examples().size() ? ", ..." : "");
    }

    private static String status(Finding finding) {
        if (finding.count() == 0) {
            return "ok";
        }
        return finding.isViolation() ? "VIOLATED" : "warning";
    }

    /** For programs. */
    String json() {
        var tree = JsonNodeFactory.instance.objectNode().put("clean", isClean());
        var items = tree.putArray("invariants");
        for (var finding : findings) {
            var item = items.addObject()
                    .put("name", finding.invariant().name())
                    .put("sentence", finding.invariant().sentence())
                    .put("severity", finding.invariant().severity().name())
                    .put("count", finding.count());
            var examples = item.putArray("examples");
            finding.examples().forEach(examples::add);
        }
        return Json.write(tree) + System.lineSeparator();
    }
}
