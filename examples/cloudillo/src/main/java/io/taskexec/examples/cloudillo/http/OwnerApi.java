package io.taskexec.examples.cloudillo.http;

import com.fasterxml.jackson.databind.JsonNode;
import io.taskexec.examples.cloudillo.Site;
import io.taskexec.examples.cloudillo.federation.Contact;
import io.taskexec.examples.cloudillo.federation.Hosts;
import io.taskexec.examples.cloudillo.image.Format;
import io.taskexec.examples.cloudillo.store.ActionRecord;
import io.taskexec.examples.cloudillo.store.ContentId;
import io.taskexec.examples.cloudillo.store.FileRecord;
import io.taskexec.examples.cloudillo.store.VariantRecord;
import io.taskexec.examples.cloudillo.task.ActionCreator;
import io.taskexec.examples.cloudillo.task.Draft;
import io.taskexec.examples.cloudillo.task.FileIdGenerator;
import io.taskexec.examples.cloudillo.task.ImageResizer;
import io.taskexec.examples.cloudillo.task.Schedule;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The requests of the owner. */
final class OwnerApi {
    private static final int MAX_UPLOADS = 16;
    private static final int MAX_RECIPIENTS = 100;
    private static final int MAX_NAME = 255;

    private final Site site;
    private final Schedule schedule;

    OwnerApi(Site site, Schedule schedule) {
        this.site = site;
        this.schedule = schedule;
    }

    /** The jobs of an upload, by which an action waits for it. */
    record Upload(UUID upload, List<String> jobs) {}

    /** An upload with what is known of it by now. */
    record UploadState(
            UUID upload, List<String> jobs, @Nullable FileRecord file, List<VariantRecord> variants) {}

    /** A new action. */
    record NewAction(
            @Nullable String type,
            @Nullable JsonNode content,
            @Nullable String parent,
            @Nullable String audience,
            @Nullable Duration expiresIn,
            @Nullable List<String> attachments,
            @Nullable List<UUID> uploads,
            @Nullable List<String> recipients) {}

    /** The jobs of an action. */
    record Published(UUID draft, List<String> jobs) {}

    Upload upload(Call call) throws IOException {
        var id = UUID.randomUUID();
        var name = Objects.requireNonNullElse(call.parameter("name"), "unnamed");
        if (name.length() > MAX_NAME) {
            throw Refusal.badRequest("The name has more than %d characters.".formatted(MAX_NAME));
        }
        var contentType =
                call.header("Content-Type", "application/octet-stream").toLowerCase(Locale.ROOT);
        var format = format(call.parameter("format"));
        var file = site.blobs().incoming(id);
        try {
            call.copyBody(Files.createFile(file), Site.MAX_FILE_BYTES);
        } catch (IOException | RuntimeException e) {
            Files.deleteIfExists(file);
            throw e;
        }
        var jobs =
                schedule.upload(new FileIdGenerator(id, name, contentType), contentType.startsWith("image/"), format);
        var upload = new Upload(id, jobs);
        site.records().put("uploads", id.toString(), upload);
        return upload;
    }

    private static @Nullable Format format(@Nullable String name) {
        if (name == null) {
            return null;
        }
        for (var format : Format.values()) {
            if (format.name().toLowerCase(Locale.ROOT).equals(name)) {
                return format;
            }
        }
        throw Refusal.badRequest("The format is jpeg, png, webp or avif, not " + name + ".");
    }

    UploadState upload(String id) throws IOException {
        var upload = find(id);
        var file = site.records().get("uploaded", id, FileRecord.class);
        var variants = file == null
                ? List.<VariantRecord>of()
                : site.records().all(ImageResizer.kind(file.fileId()), VariantRecord.class);
        return new UploadState(upload.upload(), upload.jobs(), file, variants);
    }

    private Upload find(String id) throws IOException {
        try {
            var upload = site.records().get("uploads", UUID.fromString(id).toString(), Upload.class);
            if (upload != null) {
                return upload;
            }
        } catch (IllegalArgumentException e) {
            throw Refusal.notFound("'%s' is no id of an upload.".formatted(id));
        }
        throw Refusal.notFound("There is no upload " + id + ".");
    }

    Published publish(NewAction action) throws IOException {
        var draft = draft(action);
        var recipients = new LinkedHashSet<>(orEmpty(action.recipients()));
        if (recipients.size() > MAX_RECIPIENTS) {
            throw Refusal.badRequest("There are more than %d recipients.".formatted(MAX_RECIPIENTS));
        }
        recipients.forEach(OwnerApi::checkIdentity);
        var after = new ArrayList<String>();
        for (var upload : draft.uploads()) {
            after.addAll(find(upload.toString()).jobs());
        }
        var id = UUID.randomUUID();
        site.records().put("drafts", id.toString(), draft);
        return new Published(id, schedule.publish(new ActionCreator(id), after, List.copyOf(recipients)));
    }

    private static Draft draft(NewAction action) {
        var attachments = orEmpty(action.attachments());
        var uploads = orEmpty(action.uploads());
        // A job has at most 100 parents, and an upload at most six jobs.
        if (attachments.size() + uploads.size() > MAX_UPLOADS) {
            throw Refusal.badRequest("There are more than %d files.".formatted(MAX_UPLOADS));
        }
        for (var attachment : attachments) {
            if (!ContentId.isFileId(attachment)) {
                throw Refusal.badRequest("'%s' is no id of a file.".formatted(attachment));
            }
        }
        if (action.type() == null) {
            throw Refusal.badRequest("There must be a type, such as POST.");
        }
        if (action.audience() != null) {
            checkIdentity(action.audience());
        }
        if (action.expiresIn() != null && action.expiresIn().compareTo(Duration.ofSeconds(1)) < 0) {
            throw Refusal.badRequest("expiresIn is at least a second.");
        }
        return new Draft(
                action.type(),
                action.content(),
                action.parent(),
                action.audience(),
                action.expiresIn(),
                attachments,
                uploads);
    }

    private static <T> List<T> orEmpty(@Nullable List<T> list) {
        if (list == null) {
            return List.of();
        }
        if (list.contains(null)) {
            throw Refusal.badRequest("A list has a null.");
        }
        return list;
    }

    private static void checkIdentity(String identity) {
        if (!Hosts.isIdentity(identity)) {
            throw Refusal.badRequest("'%s' is no identity.".formatted(identity));
        }
    }

    List<ActionRecord> actions(String kind) throws IOException {
        return site.records().all(kind, ActionRecord.class);
    }

    Contact put(String identity, JsonNode fields) throws IOException {
        checkIdentity(identity);
        var contact = new Contact(
                identity,
                fields.path("following").asBoolean(),
                fields.path("connected").asBoolean());
        site.records().put("contacts", identity, contact);
        return contact;
    }
}
