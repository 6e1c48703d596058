package io.taskexec.examples.cloudillo.image;

import java.awt.image.BufferedImage;
import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/** The way a camera was held, as the Exif data of a JPEG file say: a number from 1, upright, to 8. */
final class Orientation {
    static final int UPRIGHT = 1;

    private static final int START_OF_IMAGE = 0xFFD8;
    private static final int START_OF_SCAN = 0xFFDA;
    private static final int APPLICATION_1 = 0xFFE1;
    private static final int TAG = 0x0112;
    private static final int ENTRY_BYTES = 12;
    private static final String EXIF = "Exif\0\0";

    private Orientation() {}

    /** Reads it from the segments before the image itself. A file without it, or with a damaged one, is upright. */
    static int of(InputStream file) throws IOException {
        var in = new DataInputStream(new BufferedInputStream(file));
        try {
            if (in.readUnsignedShort() != START_OF_IMAGE) {
                return UPRIGHT;
            }
            for (var marker = in.readUnsignedShort();
                    marker >> 8 == 0xFF && marker != START_OF_SCAN;
                    marker = in.readUnsignedShort()) {
                var segment = new byte[Math.max(0, in.readUnsignedShort() - 2)];
                in.readFully(segment);
                if (marker == APPLICATION_1 && new String(segment, StandardCharsets.ISO_8859_1).startsWith(EXIF)) {
                    return ofTiff(ByteBuffer.wrap(segment, EXIF.length(), segment.length - EXIF.length())
                            .slice());
                }
            }
        } catch (EOFException e) {
            // The reader of the image says what is wrong with the file.
            return UPRIGHT;
        }
        return UPRIGHT;
    }

    private static int ofTiff(ByteBuffer tiff) {
        try {
            tiff.order(tiff.getShort(0) == 0x4949 ? ByteOrder.LITTLE_ENDIAN : ByteOrder.BIG_ENDIAN);
            var directory = tiff.getInt(4);
            var entries = Short.toUnsignedInt(tiff.getShort(directory));
            for (var i = 0; i < entries; i++) {
                var entry = directory + 2 + i * ENTRY_BYTES;
                if (Short.toUnsignedInt(tiff.getShort(entry)) == TAG) {
                    var value = tiff.getShort(entry + 8);
                    return value >= 1 && value <= 8 ? value : UPRIGHT;
                }
            }
        } catch (IndexOutOfBoundsException e) {
            return UPRIGHT;
        }
        return UPRIGHT;
    }

    /** Tells whether width and height change their places. */
    static boolean isTurned(int orientation) {
        return orientation >= 5;
    }

    /** Returns the image as it was seen. */
    static BufferedImage upright(BufferedImage image, int orientation) {
        if (orientation == UPRIGHT) {
            return image;
        }
        var width = image.getWidth();
        var height = image.getHeight();
        var isTurned = isTurned(orientation);
        var result = new BufferedImage(isTurned ? height : width, isTurned ? width : height, image.getType());
        for (var y = 0; y < height; y++) {
            for (var x = 0; x < width; x++) {
                var right = width - 1 - x;
                var bottom = height - 1 - y;
                var color = image.getRGB(x, y);
                switch (orientation) {
                    case 2 -> result.setRGB(right, y, color);
                    case 3 -> result.setRGB(right, bottom, color);
                    case 4 -> result.setRGB(x, bottom, color);
                    case 5 -> result.setRGB(y, x, color);
                    case 6 -> result.setRGB(bottom, x, color);
                    case 7 -> result.setRGB(bottom, right, color);
                    default -> result.setRGB(y, right, color);
                }
            }
        }
        return result;
    }
}
