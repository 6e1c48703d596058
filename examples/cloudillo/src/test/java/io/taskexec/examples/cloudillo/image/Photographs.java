package io.taskexec.examples.cloudillo.image;

import java.awt.image.BufferedImage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import javax.imageio.ImageIO;

/** Photographs that are the same each time. */
public final class Photographs {
    private Photographs() {}

    /** Gradients with noise, so that the file is as large as that of a camera. */
    public static byte[] jpeg(int width, int height) throws IOException {
        var random = new Random(7);
        var image = new BufferedImage(width, height, BufferedImage.TYPE_3BYTE_BGR);
        var row = new int[width];
        for (var y = 0; y < height; y++) {
            for (var x = 0; x < width; x++) {
                var noise = random.nextInt() & 0x3F3F3F;
                var red = 180 * x / width;
                var green = 180 * y / height;
                row[x] = (red << 16 | green << 8 | 90) + noise;
            }
            image.setRGB(0, y, width, 1, row, 0, width);
        }
        var bytes = new ByteArrayOutputStream();
        ImageIO.write(image, "jpeg", bytes);
        return bytes.toByteArray();
    }

    /** Adds Exif data that say how the camera was held. */
    static byte[] withOrientation(byte[] jpeg, int orientation) {
        var exif = ByteBuffer.allocate(2 + 2 + 6 + 8 + 2 + 12 + 4);
        exif.putShort((short) 0xFFE1).putShort((short) (exif.capacity() - 2));
        exif.put("Exif\0\0MM\0*".getBytes(StandardCharsets.ISO_8859_1))
                .putInt(8)
                .putShort((short) 1);
        exif.putShort((short) 0x0112).putShort((short) 3).putInt(1).putShort((short) orientation);
        return ByteBuffer.allocate(jpeg.length + exif.capacity())
                .put(jpeg, 0, 2)
                .put(exif.array())
                .put(jpeg, 2, jpeg.length - 2)
                .array();
    }
}
