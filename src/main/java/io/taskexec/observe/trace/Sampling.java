package io.taskexec.observe.trace;

/** Decides about a trace by its id, so that all processes decide the same. */
final class Sampling {
    /** The random digits of a trace id are its last 14 (W3C Trace Context, level 2). */
    private static final int RANDOM_FROM = 18;

    private static final double TRACES = 0x1p56;

    private final long rejected;

    private Sampling(long rejected) {
        this.rejected = rejected;
    }

    /** @throws IllegalArgumentException with the reason when the settings cannot be used */
    static Sampling of(TraceConfig config) {
        return switch (config.sampler()) {
            case "parentbased_always_on" -> ofRatio(1);
            case "parentbased_always_off" -> ofRatio(0);
            case "parentbased_traceidratio" -> ofRatio(config.samplerArg());
            default ->
                throw new IllegalArgumentException(
                        "OTEL_TRACES_SAMPLER must be parentbased_traceidratio, parentbased_always_on or parentbased_always_off");
        };
    }

    private static Sampling ofRatio(double ratio) {
        if (!(ratio >= 0 && ratio <= 1)) {
            throw new IllegalArgumentException("OTEL_TRACES_SAMPLER_ARG must be from 0 to 1");
        }
        return new Sampling((long) ((1 - ratio) * TRACES));
    }

    boolean takes(String traceId) {
        return Long.parseLong(traceId, RANDOM_FROM, traceId.length(), 16) >= rejected;
    }
}
