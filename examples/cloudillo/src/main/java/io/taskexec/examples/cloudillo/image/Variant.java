package io.taskexec.examples.cloudillo.image;

import com.fasterxml.jackson.annotation.JsonProperty;

/** The sizes in which an image is offered. Each is a box for landscapes; for portraits it is turned. */
public enum Variant {
    /** A thumbnail. */
    @JsonProperty("tn")
    THUMBNAIL("tn", 256, 256),
    /** Standard definition. */
    @JsonProperty("sd")
    STANDARD("sd", 854, 480),
    /** Medium definition. */
    @JsonProperty("md")
    MEDIUM("md", 1280, 720),
    /** High definition. */
    @JsonProperty("hd")
    HIGH("hd", 1920, 1080),
    /** Extra high definition. */
    @JsonProperty("xd")
    EXTRA("xd", 3840, 2160);

    private final String code;
    private final int longer;
    private final int shorter;

    Variant(String code, int longer, int shorter) {
        this.code = code;
        this.longer = longer;
        this.shorter = shorter;
    }

    /** Returns the name that tasks and files have it by. */
    public String code() {
        return code;
    }

    /** Returns the largest size in the box with the proportions of an image, which is never larger than the image. */
    public Size sizeFor(Size image) {
        var isPortrait = image.height() > image.width();
        var box = isPortrait ? new Size(shorter, longer) : new Size(longer, shorter);
        var scale = Math.min(1, Math.min((double) box.width() / image.width(), (double) box.height() / image.height()));
        return new Size(scaled(image.width(), scale), scaled(image.height(), scale));
    }

    private static int scaled(int length, double scale) {
        return Math.max(1, (int) Math.round(length * scale));
    }
}
