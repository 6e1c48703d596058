package io.taskexec.api;

import org.eclipse.microprofile.openapi.annotations.media.Schema;

/** What is answered to a bulk request: what it would do, or what has begun. */
@Schema(
        name = "BulkAnswer",
        oneOf = {BulkPreview.class, OperationView.class})
sealed interface BulkAnswer permits BulkPreview, OperationView {}
