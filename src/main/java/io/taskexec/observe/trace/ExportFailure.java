package io.taskexec.observe.trace;

import io.opentelemetry.exporter.internal.FailedExportException;
import io.opentelemetry.exporter.internal.FailedExportException.GrpcExportException;
import io.opentelemetry.exporter.internal.FailedExportException.HttpExportException;
import io.opentelemetry.exporter.internal.RetryUtil;
import io.smallrye.mutiny.TimeoutException;

/**
 * Why the collector did not take spans.
 *
 * @param isRetryable whether it may take the same later
 */
record ExportFailure(String reason, boolean isRetryable) {
    static ExportFailure of(Throwable failure) {
        return switch (failure) {
            case HttpExportException http
            when http.getResponse() != null -> {
                var status = http.getResponse().getStatusCode();
                yield new ExportFailure(
                        "it answered " + status,
                        RetryUtil.retryableHttpResponseCodes().contains(status));
            }
            case GrpcExportException grpc
            when grpc.getResponse() != null -> {
                var status = grpc.getResponse().getStatusCode();
                yield new ExportFailure(
                        "it answered " + status + ", " + grpc.getResponse().getStatusDescription(),
                        RetryUtil.retryableGrpcStatusCodes().contains(Integer.toString(status.getValue())));
            }
            case FailedExportException _ -> new ExportFailure(root(failure).toString(), true);
            case TimeoutException _ -> new ExportFailure("it does not answer", true);
            default -> new ExportFailure(failure.toString(), false);
        };
    }

    private static Throwable root(Throwable failure) {
        return failure.getCause() == null ? failure : root(failure.getCause());
    }
}
