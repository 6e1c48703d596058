package io.taskexec.examples.cloudillo.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.awt.image.BufferedImage;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ResamplerTest {
    private static BufferedImage noise(int width, int height, int type) {
        var random = new Random(1);
        var image = new BufferedImage(width, height, type);
        for (var y = 0; y < height; y++) {
            for (var x = 0; x < width; x++) {
                image.setRGB(x, y, random.nextInt());
            }
        }
        return image;
    }

    private static BufferedImage resize(BufferedImage image, int width, int height) throws InterruptedException {
        return Resampler.resize(DecodedImage.of(image), new Size(width, height));
    }

    @Test
    void theKernelHasItsKnownValues() {
        assertThat(Lanczos.kernel(0)).isEqualTo(1);
        assertThat(Lanczos.kernel(0.5)).isCloseTo(6 / (Math.PI * Math.PI), within(1e-12));
        assertThat(Lanczos.kernel(1)).isCloseTo(0, within(1e-12));
        assertThat(Lanczos.kernel(-1.5)).isCloseTo(-4 / (3 * Math.PI * Math.PI), within(1e-12));
        assertThat(Lanczos.kernel(3)).isZero();
    }

    @ParameterizedTest
    @CsvSource({"6000, 256", "4000, 2160", "7, 7", "7, 6", "5, 1", "1, 1"})
    void theWeightsOfAPixelSumUpToOneAndLieInTheImage(int source, int target) {
        var filter = new Lanczos(source, target);
        for (var i = 0; i < target; i++) {
            var sum = 0.0;
            for (var weight : filter.weights(i)) {
                sum += weight;
            }
            assertThat(sum).isCloseTo(1, within(1e-5));
            assertThat(filter.first(i)).isNotNegative();
            assertThat(filter.first(i) + filter.weights(i).length).isLessThanOrEqualTo(source);
        }
    }

    @Test
    void everyPlainColorStaysWhatItIs() throws InterruptedException {
        for (var value = 0; value < 256; value += 5) {
            var color = 0xFF000000 | value << 16 | (255 - value) << 8 | value / 2;
            var image = new BufferedImage(50, 40, BufferedImage.TYPE_3BYTE_BGR);
            for (var i = 0; i < 50 * 40; i++) {
                image.setRGB(i % 50, i / 50, color);
            }
            assertThat(resize(image, 13, 9).getRGB(0, 0, 13, 9, null, 0, 13)).containsOnly(color);
        }
    }

    @Test
    void anImageOfTheSameSizeIsTheSame() throws InterruptedException {
        var image = noise(31, 17, BufferedImage.TYPE_INT_RGB);

        assertThat(resize(image, 31, 17).getRGB(0, 0, 31, 17, null, 0, 31))
                .isEqualTo(image.getRGB(0, 0, 31, 17, null, 0, 31));
    }

    /** Black and white lines of one pixel have half the light, which is no middle gray. */
    @Test
    void theAmountOfLightStays() throws InterruptedException {
        var image = new BufferedImage(400, 300, BufferedImage.TYPE_INT_RGB);
        for (var i = 0; i < 400 * 300; i++) {
            image.setRGB(i % 400, i / 400, i % 2 == 0 ? 0xFFFFFF : 0);
        }

        var row = new int[40];
        resize(image, 40, 30).getRGB(0, 15, 40, 1, row, 0, 40);

        for (var x = 4; x < 36; x++) {
            assertThat(row[x] & 0xFF).isBetween(187, 189);
        }
        assertThat(meanLight(resize(noise(301, 203, BufferedImage.TYPE_INT_RGB), 37, 29)))
                .isCloseTo(meanLight(noise(301, 203, BufferedImage.TYPE_INT_RGB)), within(0.004));
    }

    private static double meanLight(BufferedImage image) {
        var sum = 0.0;
        for (var y = 0; y < image.getHeight(); y++) {
            for (var x = 0; x < image.getWidth(); x++) {
                sum += Light.of(image.getRGB(x, y) >> 8 & 0xFF);
            }
        }
        return sum / (image.getWidth() * image.getHeight());
    }

    /** The sum over both dimensions at once, with other code. */
    @Test
    void eachPixelIsTheSumOfItsNeighboursAsTheFormulaHasIt() throws InterruptedException {
        var image = noise(23, 19, BufferedImage.TYPE_INT_RGB);
        var resized = resize(image, 9, 5);
        for (var y = 0; y < 5; y++) {
            for (var x = 0; x < 9; x++) {
                assertThat(resized.getRGB(x, y) & 0xFF)
                        .isCloseTo(Light.value((float) expected(image, x, y)), within(1));
            }
        }
    }

    private static double expected(BufferedImage image, int x, int y) {
        var scaleX = 23 / 9.0;
        var scaleY = 19 / 5.0;
        var sum = 0.0;
        var total = 0.0;
        for (var v = 0; v < 19; v++) {
            for (var u = 0; u < 23; u++) {
                var weight =
                        Lanczos.kernel((u + 0.5) / scaleX - (x + 0.5)) * Lanczos.kernel((v + 0.5) / scaleY - (y + 0.5));
                sum += weight * Light.of(image.getRGB(u, v) & 0xFF);
                total += weight;
            }
        }
        return sum / total;
    }

    @Test
    void transparentPixelsLendNoColor() throws InterruptedException {
        var image = new BufferedImage(40, 40, BufferedImage.TYPE_INT_ARGB);
        for (var i = 0; i < 40 * 40; i++) {
            image.setRGB(i % 40, i / 40, i % 40 < 20 ? 0xFFFF0000 : 0x0000FF00);
        }
        var resized = resize(image, 10, 10);

        assertThat(resized.getRGB(0, 5)).isEqualTo(0xFFFF0000);
        assertThat(resized.getRGB(9, 5)).isZero();
        for (var x = 0; x < 10; x++) {
            assertThat(resized.getRGB(x, 5) >> 8 & 0xFF).isZero();
        }
    }

    @Test
    void aCancelledTaskStopsResizing() {
        Thread.currentThread().interrupt();

        assertThatThrownBy(() -> resize(noise(20, 20, BufferedImage.TYPE_INT_RGB), 4, 4))
                .isInstanceOf(InterruptedException.class);
    }
}
