package io.taskexec.request;

import io.taskexec.model.endpoint.RetryRules;
import java.util.ArrayList;
import java.util.List;

/** Reads which failures are retried, and which are not. */
public final class RetryWords {
    private RetryWords() {}

    /** The exceptions in the fields {@code retry_on} and {@code no_retry_on}, whose order means nothing. */
    public static RetryRules read(Fields fields) {
        return new RetryRules(words(fields, "retry_on"), words(fields, "no_retry_on"));
    }

    private static List<String> words(Fields fields, String field) {
        var given = fields.optionalTree(field);
        if (given == null || (given.isArray() && given.isEmpty())) {
            return List.of();
        }
        var words = new ArrayList<String>();
        for (var element : fields.array(field)) {
            var word = element.asText();
            if (!RetryRules.isWord(word)) {
                fields.violation(
                        field,
                        "must hold statuses such as 404, classes such as 4xx, or " + Choice.list(RetryRules.TYPES));
                break;
            }
            words.add(word);
        }
        return words.stream().sorted().toList();
    }
}
