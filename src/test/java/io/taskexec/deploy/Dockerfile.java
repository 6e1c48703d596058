package io.taskexec.deploy;

import com.fasterxml.jackson.databind.JsonNode;
import io.taskexec.testing.TestFiles;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** A Dockerfile as its instructions; one that Docker does not know fails. */
record Dockerfile(Path file, List<Instruction> instructions) {
    private static final Set<String> KNOWN = Set.of(
            "ADD",
            "ARG",
            "CMD",
            "COPY",
            "ENTRYPOINT",
            "ENV",
            "EXPOSE",
            "FROM",
            "HEALTHCHECK",
            "LABEL",
            "ONBUILD",
            "RUN",
            "SHELL",
            "STOPSIGNAL",
            "USER",
            "VOLUME",
            "WORKDIR");

    /** One instruction; {@code words} without its flags, which begin with two hyphens. */
    record Instruction(String name, List<String> flags, List<String> words) {
        /** Its words, as they were between single spaces. */
        String text() {
            return String.join(" ", words);
        }

        /** Its words from the first bracket on as JSON, which is how a program is started without a shell. */
        JsonNode list() {
            return DeployFiles.json(text().substring(text().indexOf('[')));
        }
    }

    static Dockerfile read(Path file) {
        var instructions = new ArrayList<Instruction>();
        var line = new StringBuilder();
        for (var part : TestFiles.text(file).split("\n", -1)) {
            if (part.strip().startsWith("#")) {
                continue;
            }
            if (part.endsWith("\\")) {
                line.append(part, 0, part.length() - 1).append(' ');
                continue;
            }
            line.append(part);
            if (!line.toString().isBlank()) {
                instructions.add(instruction(file, line.toString()));
            }
            line.setLength(0);
        }
        if (!line.isEmpty()) {
            throw new AssertionError(file + " ends within an instruction");
        }
        return new Dockerfile(file, instructions);
    }

    private static Instruction instruction(Path file, String line) {
        var words = new ArrayList<>(List.of(line.strip().split("\\s+")));
        var name = words.removeFirst();
        if (!KNOWN.contains(name)) {
            throw new AssertionError(file + " has the unknown instruction " + name);
        }
        var flags = words.stream().takeWhile(word -> word.startsWith("--")).toList();
        return new Instruction(name, flags, List.copyOf(words.subList(flags.size(), words.size())));
    }

    List<Instruction> all(String name) {
        return instructions.stream()
                .filter(instruction -> instruction.name().equals(name))
                .toList();
    }

    /** The last one, which is the one of the image. */
    Instruction last(String name) {
        return all(name).getLast();
    }
}
