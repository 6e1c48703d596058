package io.taskexec.examples.cloudillo.image;

/** Converts the values of sRGB to amounts of light and back. Means of light look right, means of sRGB are too dark. */
final class Light {
    private static final int STEPS = 65_535;
    private static final float[] OF_VALUE = new float[256];
    private static final byte[] VALUE_OF = new byte[STEPS + 1];

    static {
        for (var i = 0; i < OF_VALUE.length; i++) {
            var value = i / 255.0;
            OF_VALUE[i] = (float) (value <= 0.04045 ? value / 12.92 : Math.pow((value + 0.055) / 1.055, 2.4));
        }
        for (var i = 0; i <= STEPS; i++) {
            var light = (double) i / STEPS;
            var value = light <= 0.0031308 ? light * 12.92 : 1.055 * Math.pow(light, 1 / 2.4) - 0.055;
            VALUE_OF[i] = (byte) Math.round(value * 255);
        }
    }

    private Light() {}

    /** Returns the light, 0 to 1, of a value from 0 to 255. */
    static float of(int value) {
        return OF_VALUE[value];
    }

    /** Returns the value from 0 to 255. What the filter has carried beyond 0 and 1 is cut. */
    static int value(float light) {
        return VALUE_OF[Math.round(Math.max(0, Math.min(1, light)) * STEPS)] & 0xFF;
    }
}
