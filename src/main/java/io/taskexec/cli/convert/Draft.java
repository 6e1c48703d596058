package io.taskexec.cli.convert;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.taskexec.cli.text.YamlWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;

/** A schedule of another scheduler as it becomes an endpoint and a job. */
final class Draft {
    /** The name of a secret has at most 63 characters. */
    private static final int MAX_SUFFIX = 19;

    private final String name;
    private final List<String> comments = new ArrayList<>();
    private final Set<String> secrets = new TreeSet<>();
    private final List<ObjectNode> others = new ArrayList<>();
    private final ObjectNode endpoint;
    private final ObjectNode job;
    private boolean isIncomplete;
    private boolean hasEndpoint = true;
    private boolean hasJob = true;

    Draft(String title, String name) {
        this.name = name;
        comments.add(title);
        endpoint = document("Endpoint", name).put("type", "HTTP");
        job = document("Job", name).put("endpoint", name);
    }

    /** The degree to which a schedule is converted. */
    enum State {
        CONVERTED,
        /** Something must be set before it works. */
        INCOMPLETE,
        /** Its job is a comment. */
        LEFT_OUT
    }

    String name() {
        return name;
    }

    ObjectNode endpoint() {
        return endpoint;
    }

    ObjectNode job() {
        return job;
    }

    /** Adds a document before the endpoint, which is printed with it. */
    ObjectNode other(String kind, String otherName) {
        var document = document(kind, otherName);
        others.add(document);
        return document;
    }

    /** Adds a remark on a part that has no equivalent. */
    void remark(String sentence) {
        comments.add(sentence);
    }

    /** Adds a remark on a part that must be set before the schedule works. */
    void complete(String sentence) {
        isIncomplete = true;
        comments.add(sentence);
    }

    /** Adds the endpoint of another draft with what it needs, but not its job. */
    void adopt(Draft other) {
        comments.addAll(other.comments.subList(1, other.comments.size()));
        others.addAll(other.others);
        others.add(other.endpoint);
    }

    /** Makes the job a comment. */
    void leaveOutJob(String reason) {
        hasJob = false;
        comments.add("Left out: " + reason);
    }

    /** Makes all a comment. */
    void leaveOut(String reason) {
        hasEndpoint = false;
        leaveOutJob(reason);
    }

    /** Returns a reference to a secret, whose value comes from a variable. */
    String secret(String suffix) {
        var plain = Conversion.plainName(suffix);
        var secret = name + "-" + plain.substring(0, Math.min(MAX_SUFFIX, plain.length()));
        if (secrets.add(secret)) {
            var variable = secret.toUpperCase(Locale.ROOT).replace('-', '_');
            other("Secret", secret).put("value_env", variable);
            comments.add("The value of the secret " + secret + " is not copied: set the variable " + variable
                    + " to it when you apply this.");
        }
        return "{{secret." + secret + "}}";
    }

    State state() {
        return !hasJob ? State.LEFT_OUT : isIncomplete ? State.INCOMPLETE : State.CONVERTED;
    }

    String text() {
        var text = new StringBuilder("---\n");
        comments.forEach(comment -> text.append(Conversion.comment(comment)));
        var parts = new ArrayList<String>();
        others.forEach(other -> parts.add(part(other, hasEndpoint)));
        // Without a request there is nothing to show of the endpoint.
        if (endpoint.has("spec")) {
            parts.add(part(endpoint, hasEndpoint));
        }
        if (job.has("cron") || job.has("every")) {
            parts.add(part(job, hasJob));
        }
        return text.append(String.join("---\n", parts)).toString();
    }

    private static String part(ObjectNode document, boolean isLive) {
        var yaml = YamlWriter.write(document);
        return isLive ? yaml : yaml.replaceAll("(?m)^(?=.)", "# ");
    }

    private static ObjectNode document(String kind, String name) {
        return JsonNodeFactory.instance.objectNode().put("kind", kind).put("name", name);
    }
}
