package io.taskexec.examples.cloudillo.image;

/**
 * The filter Lanczos3 for one dimension: for each pixel of the result the pixels of the source that it is made of, and
 * their weights, whose sum is 1. Where the result is smaller the filter is wider by that much, so that nothing aliases.
 */
final class Lanczos {
    private static final int LOBES = 3;

    private final int[] first;
    private final float[][] weights;

    Lanczos(int source, int target) {
        first = new int[target];
        weights = new float[target][];
        var scale = (double) source / target;
        var stretch = Math.max(1, scale);
        for (var i = 0; i < target; i++) {
            var center = (i + 0.5) * scale - 0.5;
            var from = Math.max(0, (int) Math.ceil(center - LOBES * stretch));
            var to = Math.min(source - 1, (int) Math.floor(center + LOBES * stretch));
            first[i] = from;
            weights[i] = weights(center, stretch, from, to);
        }
    }

    private static float[] weights(double center, double stretch, int from, int to) {
        var exact = new double[to - from + 1];
        var sum = 0.0;
        for (var j = 0; j < exact.length; j++) {
            exact[j] = kernel((from + j - center) / stretch);
            sum += exact[j];
        }
        var weights = new float[exact.length];
        for (var j = 0; j < exact.length; j++) {
            weights[j] = (float) (exact[j] / sum);
        }
        return weights;
    }

    static double kernel(double x) {
        if (x == 0) {
            return 1;
        }
        return Math.abs(x) < LOBES ? sinc(x) * sinc(x / LOBES) : 0;
    }

    private static double sinc(double x) {
        return Math.sin(Math.PI * x) / (Math.PI * x);
    }

    int length() {
        return first.length;
    }

    /** Returns the first pixel of the source that counts for a pixel of the result. */
    int first(int target) {
        return first[target];
    }

    /** Returns the weights of the pixels from the first one on. */
    float[] weights(int target) {
        return weights[target];
    }
}
