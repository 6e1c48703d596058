package io.taskexec.model;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How something gets on that is done over and over, by the monotonic clock. A wait that it has chosen itself is none of
 * these.
 *
 * @param sinceSuccess since it last succeeded, null when it never has
 * @param stuck how long it has been about something that neither succeeds nor fails
 * @param failing how long it has gone without the success that was due
 */
public record Progress(@Nullable Duration sinceSuccess, Duration stuck, Duration failing) {}
