package io.taskexec.api.execution;

import org.eclipse.microprofile.openapi.annotations.media.DiscriminatorMapping;
import org.eclipse.microprofile.openapi.annotations.media.Schema;

/** The response to a bulk request: its preview, or the operation that has begun. */
@Schema(
        name = "BulkResult",
        oneOf = {BulkPreview.class, OperationView.class},
        discriminatorProperty = "kind",
        discriminatorMapping = {
            @DiscriminatorMapping(value = BulkPreview.KIND, schema = BulkPreview.class),
            @DiscriminatorMapping(value = OperationView.KIND, schema = OperationView.class)
        })
sealed interface BulkAnswer permits BulkPreview, OperationView {}
