package io.taskexec.cli.receiver;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

/** The message and its signatures are those of the reference libraries; a real one is checked in SignedDeliveryIT. */
class VerifyTest {
    private static final String SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    private static final String PUBLIC = "whpk_1SiA4o9hyqTCpIqC5V9HUakiiaeACeqfZTInDBbOir4=";
    private static final List<String> SIGNED = List.of(
            "--id=msg_p5jXN8AQM9LWM0D4loKWxJek",
            "--timestamp=1614265330",
            "--signature=v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE= "
                    + "v1a,hnO3f9T8Ytu9HwrXslvumlUpqtNVqkhqw/enGzPCXe5BdqzCInXqYXFymVJaA7AZdpXwVLPo3mNl8EM+m7TBAg==");

    @TempDir
    private Path folder;

    private Path body;
    private String err = "";

    @BeforeEach
    void write() throws Exception {
        body = Files.writeString(folder.resolve("body"), "{\"test\": 2432232314}");
    }

    private int run(List<String> signed, String... others) {
        var arguments = new ArrayList<>(signed);
        arguments.addAll(List.of(others));
        arguments.add("--body=" + body);
        var printed = new StringWriter();
        var code = new CommandLine(new Verify())
                .setOut(new PrintWriter(new StringWriter()))
                .setErr(new PrintWriter(printed, true))
                .execute(arguments.toArray(String[]::new));
        err = printed.toString();
        return code;
    }

    @ParameterizedTest
    @CsvSource({SECRET, PUBLIC})
    void aFittingSignatureOfEitherKindIsValid(String key) {
        assertThat(run(SIGNED, "--secret=" + key, "--no-tolerance")).as(err).isZero();
    }

    @Test
    void theKeyCanComeFromAFile() throws Exception {
        var file = Files.writeString(folder.resolve("key"), SECRET + "\n");

        assertThat(run(SIGNED, "--secret-file=" + file, "--no-tolerance"))
                .as(err)
                .isZero();
    }

    @Test
    void headersAreReadAsTheyWereReceived() throws Exception {
        var file = Files.writeString(folder.resolve("headers"), """
                POST /hook HTTP/1.1
                Host: a:80
                Webhook-Id:   msg_p5jXN8AQM9LWM0D4loKWxJek
                WEBHOOK-TIMESTAMP: 1614265330\r
                webhook-signature: v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=

                """);

        assertThat(run(List.of("--headers=" + file), "--secret=" + SECRET, "--no-tolerance"))
                .as(err)
                .isZero();
    }

    @Test
    void headersThatAreThereTwiceSayNothing() throws Exception {
        var file = Files.writeString(folder.resolve("headers"), """
                webhook-id: a
                webhook-id: b
                webhook-timestamp: 1614265330
                webhook-signature: v1,AAAA
                """);

        assertThat(run(List.of("--headers=" + file), "--secret=" + SECRET)).isEqualTo(2);
        assertThat(err).contains("has not all of webhook-id");
    }

    @Test
    void anOldMessageIsNotValidUnlessThatIsAllowed() {
        assertThat(run(SIGNED, "--secret=" + SECRET)).isEqualTo(1);
        assertThat(err).contains("seconds in the past, and 300 are allowed");
        assertThat(run(SIGNED, "--secret=" + SECRET, "--tolerance=90s")).isEqualTo(1);
        assertThat(err).contains("and 90 are allowed");
        assertThat(run(SIGNED, "--secret=" + SECRET, "--tolerance=1000000h")).isZero();
    }

    @ParameterizedTest
    @CsvSource({"1d, 86400", "PT5M, 300", "1m30s, 90"})
    void theToleranceIsADurationLikeOthers(String tolerance, String seconds) {
        assertThat(run(SIGNED, "--secret=" + SECRET, "--tolerance=" + tolerance))
                .as(err)
                .isEqualTo(1);
        assertThat(err).contains("and " + seconds + " are allowed");
    }

    @Test
    void anotherBodyIsNotValid() throws Exception {
        body = Files.writeString(folder.resolve("other"), "{\"test\":2432232314}");

        assertThat(run(SIGNED, "--secret=" + SECRET, "--no-tolerance")).isEqualTo(1);
        assertThat(err).startsWith("No signature fits");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            --secret=whsec_hunter2hunter2 | must be 24 to 64
            --secret=hunter2              | whsec_
            --secret-file=missing         | missing
            --secret=whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw --tolerance=soon | soon
            --secret=whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw --tolerance=-5m  | -5m
            --secret=whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw --tolerance=PT-5M | PT-5M
            --secret=whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw --headers=x      | either
            --secret=whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw --secret-file=x  | either
            --no-tolerance                | TE_WEBHOOK_SECRET
            """)
    void wrongUsageIsSaidInASentenceWithoutTheKey(String others, String says) {
        assertThat(run(SIGNED, others.split(" "))).isEqualTo(2);
        assertThat(err.lines().findFirst().orElseThrow()).contains(says).doesNotContain("hunter2");
    }

    @Test
    void aBodyThatCannotBeReadIsWrongUsage() {
        body = folder.resolve("nowhere");

        assertThat(run(SIGNED, "--secret=" + SECRET, "--no-tolerance")).isEqualTo(2);
        assertThat(err).startsWith("The body cannot be read.");
    }
}
