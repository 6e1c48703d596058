package io.taskexec.examples.cloudillo.image;

import io.taskexec.client.worker.PermanentException;
import java.awt.Color;
import java.awt.image.BufferedImage;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.concurrent.TimeUnit;
import javax.imageio.IIOImage;
import javax.imageio.ImageIO;
import javax.imageio.ImageWriteParam;
import javax.imageio.ImageWriter;
import javax.imageio.stream.FileImageOutputStream;
import org.jspecify.annotations.Nullable;

/** Writes images: by ImageIO, or by a program where that has no writer for the format. */
final class Encoder {
    private static final int PATIENCE_SECONDS = 60;

    private final String searchPath;

    /**
     * Makes one.
     *
     * @param searchPath the folders of programs, as in {@code PATH}
     */
    Encoder(String searchPath) {
        this.searchPath = searchPath;
    }

    /**
     * Writes an image to a file that exists.
     *
     * @param quality 1 to 100; PNG has no use for it
     * @throws PermanentException with the code {@code NO_ENCODER} when nothing here writes the format
     */
    void write(BufferedImage image, Format format, int quality, Path file) throws IOException, InterruptedException {
        var writers = ImageIO.getImageWritersByFormatName(format.code());
        if (writers.hasNext()) {
            write(format == Format.JPEG ? opaque(image) : image, writers.next(), format, quality, file);
            return;
        }
        var program = program(format);
        if (program == null) {
            throw new PermanentException(
                    "There is no encoder for %s: no plug-in of ImageIO, and no program '%s' on the search path."
                            .formatted(format.name(), format.command().get(0)),
                    "NO_ENCODER",
                    null);
        }
        run(program, image, format, quality, file);
    }

    private static void write(BufferedImage image, ImageWriter writer, Format format, int quality, Path file)
            throws IOException {
        try (var out = new FileImageOutputStream(file.toFile())) {
            var parameters = writer.getDefaultWriteParam();
            // The quality of PNG is that of its compression, whose default is good.
            if (parameters.canWriteCompressed() && format != Format.PNG) {
                parameters.setCompressionMode(ImageWriteParam.MODE_EXPLICIT);
                if (parameters.getCompressionType() == null && parameters.getCompressionTypes() != null) {
                    parameters.setCompressionType(parameters.getCompressionTypes()[0]);
                }
                parameters.setCompressionQuality(quality / 100f);
            }
            writer.setOutput(out);
            writer.write(null, new IIOImage(image, null, null), parameters);
        } finally {
            writer.dispose();
        }
    }

    private static BufferedImage opaque(BufferedImage image) {
        if (!image.getColorModel().hasAlpha()) {
            return image;
        }
        var result = new BufferedImage(image.getWidth(), image.getHeight(), BufferedImage.TYPE_INT_RGB);
        var canvas = result.createGraphics();
        canvas.drawImage(image, 0, 0, Color.WHITE, null);
        canvas.dispose();
        return result;
    }

    private @Nullable Path program(Format format) {
        for (var folder : searchPath.split(File.pathSeparator, -1)) {
            var program = Path.of(folder, format.command().get(0));
            if (!folder.isEmpty() && Files.isExecutable(program)) {
                return program;
            }
        }
        return null;
    }

    private static void run(Path program, BufferedImage image, Format format, int quality, Path file)
            throws IOException, InterruptedException {
        var input = Files.createFile(file.resolveSibling(file.getFileName() + ".png"));
        try {
            ImageIO.write(image, "png", input.toFile());
            var command = new ArrayList<String>();
            for (var part : format.command()) {
                command.add(part.replace("{quality}", String.valueOf(quality))
                        .replace("{in}", input.toString())
                        .replace("{out}", file.toString()));
            }
            command.set(0, program.toString());
            var process = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
            try {
                if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS) || process.exitValue() != 0) {
                    throw new IOException("%s has failed.".formatted(program));
                }
            } finally {
                process.destroyForcibly();
            }
        } finally {
            Files.deleteIfExists(input);
        }
    }
}
