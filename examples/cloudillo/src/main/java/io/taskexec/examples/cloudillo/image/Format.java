package io.taskexec.examples.cloudillo.image;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.List;

/** The formats of variants. */
public enum Format {
    /** For photographs; what is transparent becomes white. */
    @JsonProperty("jpeg")
    JPEG("jpeg", "image/jpeg", ""),
    /** Without losses. */
    @JsonProperty("png")
    PNG("png", "image/png", ""),
    /** By a plug-in of ImageIO, or the program {@code cwebp}. */
    @JsonProperty("webp")
    WEBP("webp", "image/webp", "cwebp -quiet -q {quality} {in} -o {out}"),
    /** By a plug-in of ImageIO, or the program {@code avifenc}. */
    @JsonProperty("avif")
    AVIF("avif", "image/avif", "avifenc -q {quality} {in} {out}");

    private final String code;
    private final String contentType;
    private final String command;

    Format(String code, String contentType, String command) {
        this.code = code;
        this.contentType = contentType;
        this.command = command;
    }

    String code() {
        return code;
    }

    /** Returns the media type. */
    public String contentType() {
        return contentType;
    }

    /** Returns a program that makes such files from PNG files, and its arguments; empty for JPEG and PNG. */
    List<String> command() {
        return command.isEmpty() ? List.of() : List.of(command.split(" ", -1));
    }
}
