package io.taskexec.examples.cloudillo.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.taskexec.client.worker.PermanentException;
import io.taskexec.examples.cloudillo.image.Images.Written;
import java.awt.image.BufferedImage;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.zip.CRC32;
import javax.imageio.ImageIO;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class ImagesTest {
    private static final int RED = 0xFFFF0000;

    @TempDir
    private Path folder;

    private final Images images = new Images("");

    private Path source(byte[] content) throws IOException {
        return Files.write(folder.resolve("source"), content);
    }

    private Path source(BufferedImage image, String format) throws IOException {
        var bytes = new ByteArrayOutputStream();
        ImageIO.write(image, format, bytes);
        return source(bytes.toByteArray());
    }

    private Path target() throws IOException {
        return Files.createTempFile(folder, "target", "");
    }

    private BufferedImage resize(Path source, Variant variant, @Nullable Format format) throws Exception {
        var target = target();
        var written = images.resize(source, variant, format, 90, target);
        var image = ImageIO.read(target.toFile());
        assertThat(written.size()).isEqualTo(new Size(image.getWidth(), image.getHeight()));
        return image;
    }

    @ParameterizedTest
    @EnumSource
    void allVariantsOfAPhotographAreMade(Variant variant) throws Exception {
        var image = resize(source(Photographs.jpeg(1500, 1000)), variant, null);

        assertThat(new Size(image.getWidth(), image.getHeight())).isEqualTo(variant.sizeFor(new Size(1500, 1000)));
        for (var shift : new int[] {16, 8, 0}) {
            assertThat(middle(image, shift)).isCloseTo(123, within(5.0));
        }
    }

    private static double middle(BufferedImage image, int shift) {
        var pixels = image.getRGB(image.getWidth() / 2 - 10, image.getHeight() / 2 - 10, 20, 20, null, 0, 20);
        return Arrays.stream(pixels)
                .map(pixel -> pixel >> shift & 0xFF)
                .average()
                .orElseThrow();
    }

    @Test
    void transparentImagesBecomePngFilesAndAreWhiteAsJpeg() throws Exception {
        var source = source(new BufferedImage(600, 600, BufferedImage.TYPE_INT_ARGB), "png");

        assertThat(images.resize(source, Variant.THUMBNAIL, null, 90, target()))
                .isEqualTo(new Written(new Size(256, 256), Format.PNG));
        assertThat(resize(source, Variant.THUMBNAIL, Format.PNG).getRGB(9, 9)).isZero();
        assertThat(resize(source, Variant.THUMBNAIL, Format.JPEG).getRGB(9, 9)).isEqualTo(0xFFFFFFFF);
    }

    @Test
    void grayImagesStayAsBrightAsTheyAre() throws Exception {
        for (var type : new int[] {BufferedImage.TYPE_BYTE_GRAY, BufferedImage.TYPE_USHORT_GRAY}) {
            var image = new BufferedImage(600, 400, type);
            var max = type == BufferedImage.TYPE_BYTE_GRAY ? 255 : 65_535;
            for (var i = 0; i < 600 * 400; i++) {
                image.getRaster().setSample(i % 600, i / 600, 0, max * 100 / 255);
            }
            assertThat(resize(source(image, "png"), Variant.THUMBNAIL, Format.PNG)
                                    .getRGB(9, 9)
                            & 0xFF)
                    .isCloseTo(100, within(1));
        }
    }

    /** Where the corner of the file, red, is seen. */
    @ParameterizedTest
    @CsvSource({"1, 0, 0", "2, 1, 0", "3, 1, 1", "4, 0, 1", "5, 0, 0", "6, 1, 0", "7, 1, 1", "8, 0, 1", "9, 0, 0"})
    void photographsAreUprightHoweverTheCameraWasHeld(int orientation, int right, int bottom) throws Exception {
        var image = new BufferedImage(800, 400, BufferedImage.TYPE_INT_RGB);
        for (var i = 0; i < 100 * 100; i++) {
            image.setRGB(i % 100, i / 100, RED);
        }
        var bytes = new ByteArrayOutputStream();
        ImageIO.write(image, "jpeg", bytes);

        var seen = resize(
                source(Photographs.withOrientation(bytes.toByteArray(), orientation)), Variant.THUMBNAIL, Format.PNG);

        var isTurned = orientation >= 5 && orientation <= 8;
        assertThat(new Size(seen.getWidth(), seen.getHeight()))
                .isEqualTo(isTurned ? new Size(128, 256) : new Size(256, 128));
        var corner = seen.getRGB(5 + right * (seen.getWidth() - 10), 5 + bottom * (seen.getHeight() - 10));
        assertThat(corner >> 16 & 0xFF).isGreaterThan(200);
    }

    @Test
    void damagedExifDataDoNotHinder() throws Exception {
        var jpeg = Photographs.withOrientation(Photographs.jpeg(300, 200), 6);
        jpeg[17] = 0x7F;

        assertThat(resize(source(jpeg), Variant.THUMBNAIL, null).getWidth()).isEqualTo(256);
    }

    @Test
    void whatIsNoImageFailsForAllTime() throws IOException {
        assertRefused(source("no image".getBytes(StandardCharsets.UTF_8)), null, "NOT_AN_IMAGE");
        var jpeg = Photographs.jpeg(300, 200);
        assertRefused(source(Arrays.copyOf(jpeg, 100)), null, "NOT_AN_IMAGE");
    }

    /** A file of 33 bytes that would take 3 GB. */
    @Test
    void hugeImagesAreRefusedByTheirHeader() throws IOException {
        var header = ByteBuffer.allocate(33)
                .put(new byte[] {(byte) 0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n', 0, 0, 0, 13})
                .put("IHDR".getBytes(StandardCharsets.US_ASCII))
                .putInt(30_000)
                .putInt(30_000)
                .put(new byte[] {8, 2, 0, 0, 0});
        var checksum = new CRC32();
        checksum.update(header.array(), 12, 17);
        assertRefused(source(header.putInt((int) checksum.getValue()).array()), null, "IMAGE_TOO_LARGE");
    }

    @ParameterizedTest
    @EnumSource(
            value = Format.class,
            names = {"WEBP", "AVIF"})
    void formatsWithoutAnEncoderFailForAllTime(Format format) throws IOException {
        assertRefused(source(Photographs.jpeg(300, 200)), format, "NO_ENCODER");
    }

    private void assertRefused(Path source, @Nullable Format format, String code) throws IOException {
        var target = target();
        assertThatThrownBy(() -> images.resize(source, Variant.THUMBNAIL, format, 85, target))
                .isInstanceOfSatisfying(
                        PermanentException.class, e -> assertThat(e.code()).isEqualTo(code));
    }

    @Test
    void webpIsMadeByTheProgramWhereThereIsOne() throws Exception {
        var path = System.getenv().getOrDefault("PATH", "");
        assumeTrue(Arrays.stream(path.split(File.pathSeparator, -1))
                .anyMatch(folder -> Files.isExecutable(Path.of(folder, "cwebp"))));
        var target = target();
        new Images(path).resize(source(Photographs.jpeg(600, 400)), Variant.THUMBNAIL, Format.WEBP, 85, target);

        assertThat(new String(Files.readAllBytes(target), 0, 12, StandardCharsets.ISO_8859_1))
                .matches("(?s)RIFF....WEBP");
        assertThat(folder).isDirectoryNotContaining("glob:**.png");
    }
}
