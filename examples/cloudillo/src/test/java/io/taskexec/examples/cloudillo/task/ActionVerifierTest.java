package io.taskexec.examples.cloudillo.task;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.taskexec.client.worker.PermanentException;
import io.taskexec.client.worker.TaskContext;
import io.taskexec.examples.cloudillo.Site;
import io.taskexec.examples.cloudillo.federation.ActionToken;
import io.taskexec.examples.cloudillo.federation.Claims;
import io.taskexec.examples.cloudillo.federation.Contact;
import io.taskexec.examples.cloudillo.federation.Jwk;
import io.taskexec.examples.cloudillo.federation.OtherInstance;
import io.taskexec.examples.cloudillo.image.Images;
import io.taskexec.examples.cloudillo.store.ActionRecord;
import io.taskexec.examples.cloudillo.store.Blobs;
import io.taskexec.examples.cloudillo.store.ContentId;
import io.taskexec.examples.cloudillo.store.Records;
import io.taskexec.examples.cloudillo.task.ActionVerifier.Verified;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ActionVerifierTest {
    private static final String BOB = OtherInstance.IDENTITY;
    private static final Jwk KEY = Jwk.generate();
    private static final byte[] PHOTOGRAPH = {1, 2, 3};
    private static final byte[] THUMBNAIL = {4};

    /** It takes the reports of progress, and drops them. */
    private static final TaskContext CONTEXT = (TaskContext) Proxy.newProxyInstance(
            TaskContext.class.getClassLoader(), new Class<?>[] {TaskContext.class}, (proxy, method, arguments) -> null);

    @TempDir
    private Path folder;

    private OtherInstance bob;
    private Site site;
    private String photograph;
    private String thumbnail;
    private ActionVerifier task;

    @BeforeEach
    void open() throws Exception {
        bob = new OtherInstance();
        bob.answerKeys(KEY.withoutPrivatePart());
        site = new Site(
                "alice.example",
                Jwk.generate(),
                new Blobs(folder),
                new Records(folder),
                new Images(""),
                bob.remote(),
                Clock.systemUTC());
        site.records().put("contacts", BOB, new Contact(BOB, true, false));
        photograph = ContentId.ofFile(Files.write(folder.resolve("photograph"), PHOTOGRAPH));
        thumbnail = ContentId.ofFile(Files.write(folder.resolve("thumbnail"), THUMBNAIL));
        task = new ActionVerifier(token(BOB));
        bob.answer("/api/files/" + photograph, 200, PHOTOGRAPH);
        bob.answer("/api/files/" + thumbnail, 200, THUMBNAIL);
    }

    private String token(String issuer) throws Exception {
        var variants = Map.of(photograph, Map.of("tn", thumbnail));
        return ActionToken.sign(
                new Claims(issuer, null, 1, null, "POST", null, null, List.of(photograph), variants), KEY);
    }

    @AfterEach
    void close() {
        bob.close();
    }

    private List<ActionRecord> inbox() throws IOException {
        return site.records().all("inbox", ActionRecord.class);
    }

    private void assertPermanent(ActionVerifier failing, String code) throws IOException {
        assertThatThrownBy(() -> failing.run(site, CONTEXT))
                .isInstanceOfSatisfying(
                        PermanentException.class, e -> assertThat(e.code()).isEqualTo(code));
        assertThat(inbox()).isEmpty();
        assertThat(folder.resolve("incoming")).isEmptyDirectory();
    }

    @Test
    void anActionArrivesWithItsFilesWhichAreFetchedOnce() throws Exception {
        var id = ContentId.ofToken(task.token());

        assertThat(task.run(site, CONTEXT)).isEqualTo(new Verified(id, 2));
        assertThat(task.run(site, CONTEXT)).isEqualTo(new Verified(id, 0));
        assertThat(inbox()).extracting(ActionRecord::actionId).containsExactly(id);
        assertThat(site.blobs().path(photograph)).hasBinaryContent(PHOTOGRAPH);
        assertThat(site.blobs().path(thumbnail)).hasBinaryContent(THUMBNAIL);
    }

    @Test
    void aFileWithAnotherContentIsRefused() throws Exception {
        bob.answer("/api/files/" + thumbnail, 200, PHOTOGRAPH);

        assertPermanent(task, "WRONG_CONTENT");
        assertThat(site.blobs().has(thumbnail)).isFalse();
    }

    @Test
    void anActionWhoseFileIsMissingIsRefused() throws Exception {
        bob.answer("/api/files/" + thumbnail, 404, new byte[0]);

        assertPermanent(task, "REFUSED");
    }

    @Test
    void filesThatCannotBeFetchedNowAreFetchedLater() throws Exception {
        bob.answer("/api/files/" + thumbnail, 503, new byte[0]);
        assertThatThrownBy(() -> task.run(site, CONTEXT)).isInstanceOf(IOException.class);
        assertThat(inbox()).isEmpty();

        bob.answer("/api/files/" + thumbnail, 200, THUMBNAIL);
        assertThat(task.run(site, CONTEXT).fetched()).isEqualTo(1);
        assertThat(inbox()).hasSize(1);
    }

    @Test
    void issuersThatAreNoDomainsAreRefused() throws Exception {
        assertPermanent(new ActionVerifier(token("127.0.0.1")), "INVALID_IDENTITY");
        assertPermanent(new ActionVerifier("no token"), "MALFORMED_TOKEN");
        assertThat(bob.requests()).isEmpty();
    }
}
