package io.taskexec.examples.cloudillo.task;

import io.taskexec.client.JobBuilder;
import io.taskexec.client.Task;
import io.taskexec.client.Taskexec;
import io.taskexec.client.model.Job;
import io.taskexec.examples.cloudillo.image.Format;
import io.taskexec.examples.cloudillo.image.Variant;
import io.taskexec.examples.cloudillo.store.ContentId;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Schedules the tasks of an instance. Each has a key, so whatever is asked for twice is done once. */
public final class Schedule {
    private static final int QUALITY = 85;
    private static final int LOW = 6;
    private static final int HIGH = 1;

    private final Taskexec client;
    private final TaskEndpoints endpoints;

    /** Makes it. */
    public Schedule(Taskexec client, TaskEndpoints endpoints) {
        this.client = client;
        this.endpoints = endpoints;
    }

    private JobBuilder job(Task task) {
        return client.job(endpoints.name(task.getClass())).input(task);
    }

    /**
     * Stores an uploaded file, and makes the variants of an image from it.
     *
     * @param isImage whether it gets variants
     * @param format of the variants; null for the one that suits the image
     * @return the jobs, that of the file first
     */
    public List<String> upload(FileIdGenerator task, boolean isImage, @Nullable Format format) {
        var jobs = new ArrayList<String>();
        var file = job(task).key("upload-" + task.upload()).priority(HIGH).schedule();
        jobs.add(file.jobId());
        if (isImage) {
            for (var variant : Variant.values()) {
                // The file gets its id only when its task runs; taskexec puts it in here.
                var resizer = new ImageResizer("{{parents.file.output.json.fileId}}", variant, format, QUALITY);
                var job = job(resizer)
                        .key("variant-%s-%s".formatted(task.upload(), variant.code()))
                        .dependsOn("file", file)
                        .priority(LOW)
                        .schedule();
                jobs.add(job.jobId());
            }
        }
        return jobs;
    }

    /**
     * Creates an action when jobs have succeeded, and delivers it.
     *
     * @param after the jobs of its uploads
     * @param recipients identities
     * @return the jobs, that of the action first
     */
    public List<String> publish(ActionCreator task, List<String> after, List<String> recipients) {
        var jobs = new ArrayList<String>();
        var creator = job(task).key("action-" + task.draft());
        if (!after.isEmpty()) {
            creator.dependsOn(after.toArray(String[]::new));
        }
        var action = creator.schedule();
        jobs.add(action.jobId());
        for (var recipient : recipients) {
            var delivery = new ActionDelivery("{{parents.action.output.json.actionId}}", recipient);
            jobs.add(job(delivery)
                    .key("deliver-%s-%s".formatted(task.draft(), recipient))
                    .dependsOn("action", action)
                    .schedule()
                    .jobId());
        }
        return jobs;
    }

    /**
     * Verifies a token that came in.
     *
     * @return the job, which is the same when the token comes again
     */
    public Job verify(String token) {
        return job(new ActionVerifier(token))
                .key("verify-" + ContentId.ofToken(token))
                .schedule();
    }
}
