package io.taskexec.cli.apply;

import io.taskexec.cli.text.YamlDocument;
import java.util.ArrayList;
import java.util.List;

/** Collects errors in files, each with its place. */
final class Problems {
    private final List<String> sentences = new ArrayList<>();
    private final YamlDocument document;
    private final Problems all;

    Problems() {
        this.document = YamlDocument.nowhere();
        this.all = this;
    }

    private Problems(YamlDocument document, Problems all) {
        this.document = document;
        this.all = all;
    }

    /** Returns a collector for one document, which adds to this one. */
    Problems of(YamlDocument part) {
        return new Problems(part, all);
    }

    void add(String pointer, String problem) {
        var sentence = document.at(pointer) + ": " + (pointer.isEmpty() ? "" : pointer + " ") + problem;
        addSentence(sentence.endsWith("?") ? sentence : sentence + ".");
    }

    void addSentence(String sentence) {
        all.sentences.add(sentence);
    }

    List<String> sentences() {
        return List.copyOf(sentences);
    }
}
