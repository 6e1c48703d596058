package io.taskexec.examples.cloudillo.image;

import io.taskexec.client.worker.PermanentException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Makes variants of images. They have no metadata, so a photograph does not tell where it was taken. */
public final class Images {
    private final Encoder encoder;

    /**
     * Makes it.
     *
     * @param searchPath where programs are looked for that encode WebP and AVIF
     */
    public Images(String searchPath) {
        encoder = new Encoder(searchPath);
    }

    /**
     * A variant as it was written.
     *
     * @param size in pixels
     * @param format of the file
     */
    public record Written(Size size, Format format) {}

    /**
     * Writes a variant.
     *
     * @param source a file with an image
     * @param format null for JPEG, or PNG if the image has transparent pixels
     * @param quality 1 to 100
     * @param target a file that exists
     * @throws PermanentException when the source is no image, or nothing here writes the format
     * @throws InterruptedException when the thread was interrupted
     */
    public Written resize(Path source, Variant variant, @Nullable Format format, int quality, Path target)
            throws IOException, InterruptedException {
        if (quality < 1 || quality > 100) {
            throw new PermanentException("The quality is from 1 to 100, not " + quality + ".", "INVALID_INPUT", null);
        }
        var image = DecodedImage.read(source);
        var orientation = orientation(source);
        var isTurned = Orientation.isTurned(orientation);
        var size = variant.sizeFor(isTurned ? image.size().turned() : image.size());
        var resized = Orientation.upright(Resampler.resize(image, isTurned ? size.turned() : size), orientation);
        var chosen = format != null ? format : image.hasAlpha() ? Format.PNG : Format.JPEG;
        encoder.write(resized, chosen, quality, target);
        return new Written(size, chosen);
    }

    private static int orientation(Path file) throws IOException {
        try (var in = Files.newInputStream(file)) {
            return Orientation.of(in);
        }
    }
}
