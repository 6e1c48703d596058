package io.taskexec.api.explanation;

import io.smallrye.mutiny.Uni;
import io.taskexec.api.web.Fails;
import io.taskexec.model.OperationSummary;
import io.taskexec.model.PublicId;
import io.taskexec.request.ErrorCode;
import io.taskexec.request.Lookup;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.jboss.resteasy.reactive.RestPath;

/** Explains why executions run or do not run. */
@Path("/executions/{id}/explain")
@Produces(MediaType.APPLICATION_JSON)
public class ExplanationResource {
    private final ExplanationReader reader;

    ExplanationResource(ExplanationReader reader) {
        this.reader = reader;
    }

    @GET
    @Operation(
            operationId = "explainExecution",
            summary = OperationSummary.EXPLAIN_EXECUTION,
            description = "A few bounded statements, however much waits: counts stop at 10,000.")
    @Fails(ErrorCode.EXECUTION_NOT_FOUND)
    public Uni<ExplanationView> explain(@RestPath String id) {
        var executionId = Lookup.found(PublicId.EXECUTION.parse(id), ErrorCode.EXECUTION_NOT_FOUND, id);
        return reader.explain(executionId)
                .map(explanation -> Lookup.found(explanation, ErrorCode.EXECUTION_NOT_FOUND, id));
    }
}
