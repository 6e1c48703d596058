package io.taskexec.e2e;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * A document as a reader would follow it: the files that it shows, and the lines that it wants to be typed. A block of
 * YAML or JSON is the file that the line before it names.
 */
record CliDocument(Map<String, String> files, List<String> lines) {
    private static final Pattern BLOCK = Pattern.compile("^```(\\w*)\\n(.*?)^```", Pattern.MULTILINE | Pattern.DOTALL);
    private static final Pattern NAME = Pattern.compile("`([\\w.-]+)`:\\s*\\z");

    static CliDocument read(Path document) throws IOException {
        var text = Files.readString(document);
        var files = new HashMap<String, String>();
        var lines = new ArrayList<String>();
        var blocks = BLOCK.matcher(text);
        while (blocks.find()) {
            var body = blocks.group(2);
            var name = NAME.matcher(text.substring(0, blocks.start()));
            switch (blocks.group(1)) {
                case "sh" -> lines.addAll(body.lines().toList());
                case "yaml", "json" -> {
                    if (!name.find()) {
                        throw new AssertionError("No file is named before:\n" + body);
                    }
                    files.put(name.group(1), body);
                }
                default -> {
                    // Only to be looked at.
                }
            }
        }
        return new CliDocument(Map.copyOf(files), List.copyOf(lines));
    }
}
