package io.taskexec.examples.cloudillo.image;

/** The rows of an image as sRGB, from the top to the bottom. */
interface PixelRows {
    Size size();

    boolean hasAlpha();

    /** Writes a row as numbers 0xAARRGGBB. */
    void read(int y, int[] row);
}
