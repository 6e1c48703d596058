package io.taskexec.examples.cloudillo.image;

import java.awt.image.BufferedImage;
import java.util.Arrays;

/**
 * Makes images smaller with the filter Lanczos3: first each row, then each column. It works with light instead of sRGB
 * values, and with colours that are multiplied by their opacity, so that transparent pixels lend no colour to others.
 *
 * <p>At any time it holds only the rows that one row of the result needs, a few megabytes for any photograph.
 */
final class Resampler {
    private static final int CHANNELS = 4;

    private final PixelRows source;
    private final Lanczos across;
    private final Lanczos down;

    private final int[] sourceRow;
    private final float[] light;
    /** The latest rows of the source in their new width; row y is at y modulo their number. */
    private final float[][] window;

    private int nextRow;

    private Resampler(PixelRows source, Size target) {
        this.source = source;
        across = new Lanczos(source.size().width(), target.width());
        down = new Lanczos(source.size().height(), target.height());
        sourceRow = new int[source.size().width()];
        light = new float[source.size().width() * CHANNELS];
        var rows = 0;
        for (var y = 0; y < down.length(); y++) {
            rows = Math.max(rows, down.weights(y).length);
        }
        window = new float[rows][target.width() * CHANNELS];
    }

    /**
     * Makes an image of another size.
     *
     * @throws InterruptedException when the thread was interrupted, as that of a cancelled task is
     */
    static BufferedImage resize(PixelRows source, Size target) throws InterruptedException {
        return new Resampler(source, target).run();
    }

    private BufferedImage run() throws InterruptedException {
        var type = source.hasAlpha() ? BufferedImage.TYPE_INT_ARGB : BufferedImage.TYPE_INT_RGB;
        var result = new BufferedImage(across.length(), down.length(), type);
        var mixed = new float[across.length() * CHANNELS];
        var row = new int[across.length()];
        for (var y = 0; y < down.length(); y++) {
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
            var from = down.first(y);
            var weights = down.weights(y);
            while (nextRow < from + weights.length) {
                resizeRow();
            }
            mix(from, weights, mixed);
            write(mixed, row);
            result.setRGB(0, y, row.length, 1, row, 0, row.length);
        }
        return result;
    }

    /** Puts the next row of the source into the window, in its new width. */
    private void resizeRow() {
        source.read(nextRow, sourceRow);
        for (int x = 0, at = 0; x < sourceRow.length; x++) {
            var pixel = sourceRow[x];
            var alpha = (pixel >>> 24) / 255f;
            light[at++] = alpha;
            light[at++] = Light.of(pixel >> 16 & 0xFF) * alpha;
            light[at++] = Light.of(pixel >> 8 & 0xFF) * alpha;
            light[at++] = Light.of(pixel & 0xFF) * alpha;
        }
        var resized = window[nextRow % window.length];
        for (var x = 0; x < across.length(); x++) {
            var weights = across.weights(x);
            var at = across.first(x) * CHANNELS;
            float alpha = 0;
            float red = 0;
            float green = 0;
            float blue = 0;
            for (var weight : weights) {
                alpha += weight * light[at++];
                red += weight * light[at++];
                green += weight * light[at++];
                blue += weight * light[at++];
            }
            var to = x * CHANNELS;
            resized[to] = alpha;
            resized[to + 1] = red;
            resized[to + 2] = green;
            resized[to + 3] = blue;
        }
        nextRow++;
    }

    private void mix(int from, float[] weights, float[] mixed) {
        Arrays.fill(mixed, 0);
        for (var j = 0; j < weights.length; j++) {
            var weight = weights[j];
            var row = window[(from + j) % window.length];
            for (var i = 0; i < mixed.length; i++) {
                mixed[i] += weight * row[i];
            }
        }
    }

    private static void write(float[] mixed, int[] row) {
        for (int x = 0, at = 0; x < row.length; x++, at += CHANNELS) {
            var alpha = Math.max(0, Math.min(1, mixed[at]));
            // Light of less than half a step of opacity is not seen, and must not be divided by almost nothing.
            var opacity = Math.round(alpha * 255);
            row[x] = opacity == 0
                    ? 0
                    : opacity << 24
                            | Light.value(mixed[at + 1] / alpha) << 16
                            | Light.value(mixed[at + 2] / alpha) << 8
                            | Light.value(mixed[at + 3] / alpha);
        }
    }
}
