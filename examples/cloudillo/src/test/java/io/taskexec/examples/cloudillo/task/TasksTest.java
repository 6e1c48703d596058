package io.taskexec.examples.cloudillo.task;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.TextNode;
import io.taskexec.client.worker.PermanentException;
import io.taskexec.examples.cloudillo.Site;
import io.taskexec.examples.cloudillo.federation.ActionToken;
import io.taskexec.examples.cloudillo.federation.Jwk;
import io.taskexec.examples.cloudillo.federation.OtherInstance;
import io.taskexec.examples.cloudillo.image.Images;
import io.taskexec.examples.cloudillo.image.Photographs;
import io.taskexec.examples.cloudillo.image.Variant;
import io.taskexec.examples.cloudillo.store.ActionRecord;
import io.taskexec.examples.cloudillo.store.Blobs;
import io.taskexec.examples.cloudillo.store.ContentId;
import io.taskexec.examples.cloudillo.store.Records;
import io.taskexec.examples.cloudillo.store.VariantRecord;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tasks that run twice, as after a crash, and tasks whose files are not there. */
class TasksTest {
    private static final UUID UPLOAD = UUID.randomUUID();

    @TempDir
    private Path folder;

    private OtherInstance bob;
    private Site site;

    @BeforeEach
    void open() throws IOException {
        bob = new OtherInstance();
        site = new Site(
                "alice.example",
                Jwk.generate(),
                new Blobs(folder),
                new Records(folder),
                new Images(""),
                bob.remote(),
                Clock.fixed(Instant.ofEpochSecond(1_700_000_000), ZoneOffset.UTC));
    }

    @AfterEach
    void close() {
        bob.close();
    }

    private static void assertPermanent(ThrowingCallable task, String code) {
        assertThatThrownBy(task)
                .isInstanceOfSatisfying(
                        PermanentException.class, e -> assertThat(e.code()).isEqualTo(code));
    }

    private String upload(byte[] content) throws IOException {
        Files.write(site.blobs().incoming(UPLOAD), content);
        return new FileIdGenerator(UPLOAD, "photo.jpg", "image/jpeg").run(site).fileId();
    }

    private UUID draft(@Nullable Duration expiresIn, List<String> attachments, List<UUID> uploads) throws IOException {
        var id = UUID.randomUUID();
        var draft = new Draft("POST", TextNode.valueOf("Hello"), null, null, expiresIn, attachments, uploads);
        site.records().put("drafts", id.toString(), draft);
        return id;
    }

    @Test
    void anUploadIsMovedOnceAndHasTheSameIdInEachAttempt() throws IOException {
        var id = upload(new byte[] {1, 2, 3});
        var task = new FileIdGenerator(UPLOAD, "photo.jpg", "image/jpeg");

        assertThat(task.run(site)).isEqualTo(task.run(site));
        assertThat(task.run(site).fileId()).isEqualTo(id);
        assertThat(task.run(site).bytes()).isEqualTo(3);
        assertThat(site.blobs().path(id)).hasBinaryContent(new byte[] {1, 2, 3});
        assertPermanent(() -> new FileIdGenerator(UUID.randomUUID(), "x", "y").run(site), "NO_SUCH_UPLOAD");
    }

    @Test
    void aVariantIsStoredByItsContent() throws Exception {
        var id = upload(Photographs.jpeg(600, 400));
        var task = new ImageResizer(id, Variant.THUMBNAIL, null, 85);
        var record = task.run(site);

        assertThat(task.run(site)).isEqualTo(record);
        assertThat(ContentId.ofFile(site.blobs().path(record.fileId()))).isEqualTo(record.fileId());
        assertThat(site.records().all(ImageResizer.kind(id), VariantRecord.class))
                .containsExactly(record);
        assertThat(folder.resolve("incoming")).isEmptyDirectory();
        var missing = new ImageResizer(id.replaceFirst("...$", "AAA"), Variant.THUMBNAIL, null, 85);
        assertPermanent(() -> missing.run(site), "NO_SUCH_FILE");
        assertPermanent(() -> new ImageResizer(id, Variant.HIGH, null, 0).run(site), "INVALID_INPUT");
        assertThat(folder.resolve("incoming")).isEmptyDirectory();
    }

    @Test
    void anActionIsSignedOnceThoughSignaturesAreRandom() throws Exception {
        var id = upload(Photographs.jpeg(300, 200));
        var variant = new ImageResizer(id, Variant.THUMBNAIL, null, 85).run(site);
        var task = new ActionCreator(draft(Duration.ofHours(1), List.of(), List.of(UPLOAD)));
        var created = task.run(site);

        assertThat(task.run(site)).isEqualTo(created);
        var record = Objects.requireNonNull(site.records().get("actions", created.actionId(), ActionRecord.class));
        assertThat(created.actionId()).isEqualTo(ContentId.ofToken(record.token()));
        var claims = ActionToken.parse(record.token()).claims();
        assertThat(claims.issuer()).isEqualTo("alice.example");
        assertThat(claims.issuedAt()).isEqualTo(1_700_000_000);
        assertThat(claims.expiresAt()).isEqualTo(1_700_003_600);
        assertThat(claims.attachments()).containsExactly(id);
        assertThat(claims.files()).containsExactly(id, variant.fileId());
    }

    @Test
    void actionsWithoutTheirFilesAreRefused() throws IOException {
        var upload = new ActionCreator(draft(null, List.of(), List.of(UUID.randomUUID())));
        var attachment = new ActionCreator(draft(null, List.of("f1~" + "A".repeat(43)), List.of()));

        assertPermanent(() -> upload.run(site), "NO_SUCH_UPLOAD");
        assertPermanent(() -> attachment.run(site), "NO_SUCH_FILE");
        assertPermanent(() -> new ActionCreator(UUID.randomUUID()).run(site), "NO_SUCH_DRAFT");
        assertPermanent(() -> new ActionDelivery("a1~x", OtherInstance.IDENTITY).run(site), "NO_SUCH_ACTION");
    }

    @Test
    void namesOfEndpointsBeginWithTheIdentity() {
        assertThat(new TaskEndpoints("alice.example").name(ImageResizer.class))
                .isEqualTo("alice-example-image-resizer");
        assertThatThrownBy(() -> new TaskEndpoints("a".repeat(60) + ".example"))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
