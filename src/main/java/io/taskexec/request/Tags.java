package io.taskexec.request;

import io.taskexec.model.Fingerprint;
import io.taskexec.model.endpoint.WorkflowFields;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;

/** Labels of a job, such as {@code customer:42}, by which it can be found. */
public final class Tags {
    private Tags() {}

    /** The tags in the order of the alphabet, empty when the field is absent. */
    public static Set<String> read(Fields fields) {
        var given = fields.optionalTree("tags");
        if (given == null || (given.isArray() && given.isEmpty())) {
            return Set.of();
        }
        var tags = new TreeSet<String>();
        for (var element : fields.array("tags")) {
            if (!element.isTextual() || !WorkflowFields.TAG.matches(element.textValue())) {
                fields.violation("tags", "must be strings of 1 to 63 letters, digits and any of . _ : = / @ -");
                break;
            }
            tags.add(element.textValue());
        }
        return tags;
    }

    /** The fingerprint of a request with tags: without any it is what it was before there were tags. */
    public static UUID mark(UUID fingerprint, Set<String> tags) {
        return tags.isEmpty() ? fingerprint : Fingerprint.of(fingerprint, tags);
    }
}
