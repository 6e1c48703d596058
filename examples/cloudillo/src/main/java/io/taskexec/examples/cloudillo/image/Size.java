package io.taskexec.examples.cloudillo.image;

/**
 * The size of an image in pixels.
 *
 * @param width at least 1
 * @param height at least 1
 */
public record Size(int width, int height) {
    /** Has no empty images. */
    public Size {
        if (width < 1 || height < 1) {
            throw new IllegalArgumentException("An image of %d x %d is empty.".formatted(width, height));
        }
    }

    long pixels() {
        return (long) width * height;
    }

    Size turned() {
        return new Size(/* width= */ height, /* height= */ width);
    }
}
