package io.taskexec.schema;

import org.everit.json.schema.event.SchemaReferencedEvent;
import org.everit.json.schema.event.ValidationListener;

/**
 * Ends a validation that follows too many references: a few lines of schema in which each definition refers twice to the
 * next one would keep a thread busy for years.
 */
final class ReferenceBudget implements ValidationListener {
    private static final int MAX_REFERENCES = 100_000;

    private int left = MAX_REFERENCES;

    @Override
    public void schemaReferenced(SchemaReferencedEvent event) {
        if (left-- == 0) {
            throw new UncheckableException(
                    "the schema's references lead to more than " + MAX_REFERENCES + " checks for this input");
        }
    }
}
