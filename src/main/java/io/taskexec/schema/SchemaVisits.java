package io.taskexec.schema;

import org.everit.json.schema.event.CombinedSchemaMatchEvent;
import org.everit.json.schema.event.CombinedSchemaMismatchEvent;
import org.everit.json.schema.event.ConditionalSchemaMatchEvent;
import org.everit.json.schema.event.ConditionalSchemaMismatchEvent;
import org.everit.json.schema.event.SchemaReferencedEvent;
import org.everit.json.schema.event.ValidationListener;

/**
 * Charges the budget for each schema within a schema that the library comes to, and ends a validation that follows too
 * many references: a few lines of schema in which each definition refers twice to the next one would keep a thread busy
 * for years.
 */
final class SchemaVisits implements ValidationListener {
    private static final int MAX_REFERENCES = 100_000;

    private int left = MAX_REFERENCES;

    @Override
    public void schemaReferenced(SchemaReferencedEvent event) {
        CheckBudget.charge(1);
        if (left-- == 0) {
            throw new UncheckableException(
                    "the schema's references lead to more than " + MAX_REFERENCES + " checks for this input");
        }
    }

    /**
     * The library keeps the failure, whose message may repeat the value, until it knows whether another schema fits.
     */
    @Override
    public void combinedSchemaMismatch(CombinedSchemaMismatchEvent event) {
        CheckBudget.charge(LibraryJson.cost(event.getFailure().getErrorMessage()));
    }

    @Override
    public void combinedSchemaMatch(CombinedSchemaMatchEvent event) {
        CheckBudget.charge(1);
    }

    @Override
    public void ifSchemaMatch(ConditionalSchemaMatchEvent event) {
        CheckBudget.charge(1);
    }

    @Override
    public void ifSchemaMismatch(ConditionalSchemaMismatchEvent event) {
        CheckBudget.charge(1);
    }
}
