package io.taskexec.client;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.time.DayOfWeek;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.List;
import java.util.UUID;

/**
 * The fields that jobs and workflows have in common: when they run, how urgently, and on what input.
 *
 * @param <S> the builder itself
 */
public abstract class TriggeredFields<S extends TriggeredFields<S>> extends Fields<S> {
    private final ObjectMapper data;

    TriggeredFields(ObjectMapper data) {
        this.data = data;
    }

    /**
     * Sets the input.
     *
     * @param input becomes JSON, with the names that it has in Java
     * @return this
     */
    public final S input(Object input) {
        return set("input", data.valueToTree(input));
    }

    /**
     * Sets the idempotency key: of several requests with the same key one creates a job, and the others get that one.
     * Without a key, a random one makes it safe that the client repeats a request.
     *
     * @param key at most 255 characters
     * @return this
     */
    public final S key(String key) {
        return set("idempotency_key", key);
    }

    /**
     * Sets the time.
     *
     * @param time in the past, it means now
     * @return this
     */
    public final S runAt(Instant time) {
        return set("run_at", time);
    }

    /**
     * Sets the time, from now on, or from the moment when the last job that this one waits for has ended.
     *
     * @param time how much later
     * @return this
     */
    public final S delay(Duration time) {
        return set("delay", time);
    }

    /**
     * Runs it by a schedule.
     *
     * @param expression a cron expression of five fields
     * @return this
     */
    public final S cron(String expression) {
        return set("cron", expression);
    }

    /**
     * Runs it once each hour.
     *
     * @param minute 0 to 59
     * @return this
     */
    public final S hourlyAt(int minute) {
        return cron(CronExpressions.hourly(minute));
    }

    /**
     * Runs it once each day.
     *
     * @param hour 0 to 23
     * @param minute 0 to 59
     * @return this
     */
    public final S dailyAt(int hour, int minute) {
        return cron(CronExpressions.daily(hour, minute));
    }

    /**
     * Runs it once each week.
     *
     * @param day the day of the week
     * @param hour 0 to 23
     * @param minute 0 to 59
     * @return this
     */
    public final S weeklyOn(DayOfWeek day, int hour, int minute) {
        return cron(CronExpressions.weekly(day, hour, minute));
    }

    /**
     * Runs it once each month, but in those that have no such day.
     *
     * @param day 1 to 31
     * @param hour 0 to 23
     * @param minute 0 to 59
     * @return this
     */
    public final S monthlyOn(int day, int hour, int minute) {
        return cron(CronExpressions.monthly(day, hour, minute));
    }

    /**
     * Sets the time zone of the schedule; UTC by default.
     *
     * @param zone a zone with a name, no offset
     * @return this
     */
    public final S timezone(ZoneId zone) {
        return set("timezone", zone.getId());
    }

    /**
     * Runs it again and again.
     *
     * @param interval at least a second
     * @return this
     */
    public final S every(Duration interval) {
        return set("every", interval);
    }

    /**
     * Sets how urgent it is.
     *
     * @param priority from 0, the most urgent, to 7; 4 by default
     * @return this
     */
    public final S priority(int priority) {
        return set("priority", priority);
    }

    /**
     * Sets where it waits.
     *
     * @param name of a queue that exists
     * @return this
     */
    public final S queue(String name) {
        return set("queue", name);
    }

    /**
     * Sets tags, by which it is found.
     *
     * @param tags all of them
     * @return this
     */
    public final S tags(String... tags) {
        return set("tags", List.of(tags));
    }

    /**
     * Lets it expire.
     *
     * @param time how long it may wait
     * @return this
     */
    public final S ttl(Duration time) {
        return set("ttl", time);
    }

    /**
     * Makes it ready to be sent: sets a random key unless there is one, and the time zone of a cron expression, and
     * does what {@link JobBuilder#retry} says.
     *
     * @param policies sets those of endpoints
     * @return this
     */
    public final S completed(RetryPolicies policies) {
        if (!has("idempotency_key")) {
            key(UUID.randomUUID().toString());
        }
        if (has("cron") && !has("timezone")) {
            set("timezone", "UTC");
        }
        applyRetryPolicy(policies);
        return self();
    }

    /** Does what {@link JobBuilder#retry} says, for all jobs in it. */
    abstract void applyRetryPolicy(RetryPolicies policies);
}
