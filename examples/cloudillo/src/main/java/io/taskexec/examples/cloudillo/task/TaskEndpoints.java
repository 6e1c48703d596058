package io.taskexec.examples.cloudillo.task;

import io.taskexec.client.RetryPolicy;
import io.taskexec.client.Task;
import io.taskexec.client.Taskexec;
import io.taskexec.client.worker.Worker;
import io.taskexec.examples.cloudillo.Site;
import java.time.Duration;

/**
 * The endpoints of an instance's tasks. Their names begin with the identity, such as {@code
 * alice-example-image-resizer}, so that several instances can share a taskexec.
 */
public final class TaskEndpoints {
    private static final int LONGEST_NAME = 63;
    private static final RetryPolicy HERE = RetryPolicy.exponential(Duration.ofSeconds(1), Duration.ofMinutes(1), 3);
    private static final RetryPolicy OVER_THE_NETWORK =
            RetryPolicy.exponential(Duration.ofSeconds(10), Duration.ofHours(1), 5);

    private final String prefix;

    /**
     * Makes the names.
     *
     * @throws IllegalArgumentException when the identity is too long for them
     */
    public TaskEndpoints(String identity) {
        prefix = identity.replace('.', '-') + "-";
        if (name(FileIdGenerator.class).length() > LONGEST_NAME) {
            throw new IllegalArgumentException("'%s' is too long to name endpoints by it.".formatted(identity));
        }
    }

    /** Returns the name of the endpoint for a type of tasks. */
    public String name(Class<? extends Task> type) {
        return prefix + Task.nameOf(type);
    }

    /** Begins to run the tasks. */
    public Worker start(Taskexec client, Site site) {
        return Worker.of(client)
                .state(site)
                .handle(
                        name(FileIdGenerator.class),
                        FileIdGenerator.class,
                        (task, context) -> task.run(context.state(Site.class)),
                        options -> options.retry(HERE))
                .handle(
                        name(ImageResizer.class),
                        ImageResizer.class,
                        (task, context) -> task.run(context.state(Site.class)),
                        options -> options.onCpu().retry(HERE))
                .handle(
                        name(ActionCreator.class),
                        ActionCreator.class,
                        (task, context) -> task.run(context.state(Site.class)),
                        options -> options.retry(HERE))
                .handle(
                        name(ActionDelivery.class),
                        ActionDelivery.class,
                        (task, context) -> {
                            task.run(context.state(Site.class));
                            return null;
                        },
                        options -> options.retry(OVER_THE_NETWORK))
                .handle(
                        name(ActionVerifier.class),
                        ActionVerifier.class,
                        (task, context) -> task.run(context.state(Site.class), context),
                        options -> options.retry(OVER_THE_NETWORK))
                .start();
    }
}
