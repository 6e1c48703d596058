package io.taskexec.examples.cloudillo.image;

import io.taskexec.client.worker.PermanentException;
import java.awt.color.ColorSpace;
import java.awt.image.BufferedImage;
import java.awt.image.ColorConvertOp;
import java.awt.image.DataBuffer;
import java.awt.image.IndexColorModel;
import java.io.IOException;
import java.nio.file.Path;
import javax.imageio.IIOException;
import javax.imageio.ImageIO;
import javax.imageio.ImageReader;
import javax.imageio.stream.FileImageInputStream;
import javax.imageio.stream.ImageInputStream;

/** An image that was read whole: a JPEG or PNG file, or another one that a plug-in of ImageIO reads. */
final class DecodedImage implements PixelRows {
    /** A photograph of 100 megapixels takes 300 MB. The header is asked before anything is read. */
    static final long MAX_PIXELS = 100_000_000;

    private final BufferedImage image;
    private final int[] samples;

    private DecodedImage(BufferedImage image) {
        this.image = image;
        samples = new int[image.getWidth() * image.getRaster().getNumBands()];
    }

    /**
     * Reads an image, as it lies in the file.
     *
     * @throws PermanentException when the file is no image, or one that is too large
     */
    static DecodedImage read(Path file) throws IOException {
        try (var in = new FileImageInputStream(file.toFile())) {
            var readers = ImageIO.getImageReaders(in);
            if (!readers.hasNext()) {
                throw new PermanentException("The file is no image that can be read.", "NOT_AN_IMAGE", null);
            }
            var reader = readers.next();
            try {
                return read(reader, in);
            } catch (IIOException | IllegalArgumentException e) {
                throw new PermanentException("The image cannot be read: " + e.getMessage(), "NOT_AN_IMAGE", e);
            } finally {
                reader.dispose();
            }
        }
    }

    private static DecodedImage read(ImageReader reader, ImageInputStream in) throws IOException {
        reader.setInput(in, true, true);
        var size = new Size(reader.getWidth(0), reader.getHeight(0));
        if (size.pixels() > MAX_PIXELS) {
            throw new PermanentException(
                    "The image has %d x %d pixels; %d are allowed.".formatted(size.width(), size.height(), MAX_PIXELS),
                    "IMAGE_TOO_LARGE",
                    null);
        }
        return of(reader.read(0));
    }

    static DecodedImage of(BufferedImage image) {
        var space = image.getColorModel().getColorSpace();
        if (space.isCS_sRGB() || isGray(image)) {
            return new DecodedImage(image);
        }
        var target = new BufferedImage(
                image.getWidth(),
                image.getHeight(),
                image.getColorModel().hasAlpha() ? BufferedImage.TYPE_INT_ARGB : BufferedImage.TYPE_INT_RGB);
        return new DecodedImage(
                new ColorConvertOp(space, ColorSpace.getInstance(ColorSpace.CS_sRGB), null).filter(image, target));
    }

    private static boolean isGray(BufferedImage image) {
        return image.getColorModel().getColorSpace().getType() == ColorSpace.TYPE_GRAY
                && !(image.getColorModel() instanceof IndexColorModel);
    }

    @Override
    public Size size() {
        return new Size(image.getWidth(), image.getHeight());
    }

    @Override
    public boolean hasAlpha() {
        return image.getColorModel().hasAlpha();
    }

    @Override
    public void read(int y, int[] row) {
        var raster = image.getRaster();
        var isBytes = raster.getTransferType() == DataBuffer.TYPE_BYTE
                && !(image.getColorModel() instanceof IndexColorModel)
                && !image.isAlphaPremultiplied();
        if (isGray(image)) {
            raster.getPixels(0, y, row.length, 1, samples);
            readGray(row);
        } else if (isBytes && raster.getNumBands() == 3) {
            raster.getPixels(0, y, row.length, 1, samples);
            for (int x = 0, at = 0; x < row.length; x++) {
                row[x] = 0xFF << 24 | samples[at++] << 16 | samples[at++] << 8 | samples[at++];
            }
        } else {
            image.getRGB(0, y, row.length, 1, row, 0, row.length);
        }
    }

    /** The samples are taken as they are: Java takes them for light, and would make the image brighter. */
    private void readGray(int[] row) {
        var bits = image.getSampleModel().getSampleSize(0);
        var max = (1 << bits) - 1;
        var bands = image.getRaster().getNumBands();
        for (int x = 0, at = 0; x < row.length; x++, at += bands) {
            var gray = samples[at] * 255 / max;
            var alpha = bands == 2 ? samples[at + 1] * 255 / max : 255;
            row[x] = alpha << 24 | gray << 16 | gray << 8 | gray;
        }
    }
}
