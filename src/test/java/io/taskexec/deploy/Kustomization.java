package io.taskexec.deploy;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Puts objects together as `kubectl kustomize` does, as far as the files here make use of it; what they name must be
 * there, and a patch must find what it changes. A field that this does not know fails.
 */
final class Kustomization {
    private static final Set<String> KNOWN = Set.of(
            "apiVersion",
            "kind",
            "namespace",
            "labels",
            "resources",
            "components",
            "patches",
            "configMapGenerator",
            "images");

    private final List<ObjectNode> objects = new ArrayList<>();

    private Kustomization() {}

    /** The objects that the kustomization in {@code directory} makes. */
    static List<ObjectNode> build(Path directory) {
        var built = new Kustomization();
        built.read(directory);
        return built.objects;
    }

    /** The same with one component more. */
    static List<ObjectNode> withComponent(List<ObjectNode> objects, Path component) {
        var built = new Kustomization();
        built.objects.addAll(objects);
        built.read(component);
        return built.objects;
    }

    private void read(Path directory) {
        var file = directory.resolve("kustomization.yaml");
        var documents = DeployFiles.yaml(file);
        check(documents.size() == 1, file + " is not one document");
        var kustomization = documents.getFirst();
        kustomization
                .fieldNames()
                .forEachRemaining(name -> check(KNOWN.contains(name), file + " has the unknown field " + name));
        for (var resource : DeployFiles.texts(kustomization.path("resources"))) {
            var path = directory.resolve(resource).normalize();
            check(Files.exists(path), file + " names " + resource + ", which is not there");
            if (Files.isDirectory(path)) {
                read(path);
            } else {
                DeployFiles.yaml(path).forEach(object -> objects.add((ObjectNode) object));
            }
        }
        kustomization.path("configMapGenerator").forEach(this::generate);
        DeployFiles.texts(kustomization.path("components"))
                .forEach(component -> read(directory.resolve(component).normalize()));
        kustomization.path("patches").forEach(patch -> patch(directory, patch));
        kustomization.path("images").forEach(this::setImage);
    }

    private void generate(JsonNode generator) {
        var name = generator.path("name").asText();
        var merges = generator.path("behavior").asText().equals("merge");
        var there = find("ConfigMap", name);
        check(there.size() == (merges ? 1 : 0), "the settings " + name + " are not made once");
        var map = merges ? there.getFirst() : configMap(name);
        for (var literal : DeployFiles.texts(generator.path("literals"))) {
            var parts = literal.split("=", 2);
            map.withObject("/data").put(parts[0], parts[1]);
        }
    }

    private ObjectNode configMap(String name) {
        var map = JsonNodeFactory.instance.objectNode();
        map.put("apiVersion", "v1")
                .put("kind", "ConfigMap")
                .withObject("/metadata")
                .put("name", name);
        objects.add(map);
        return map;
    }

    private void patch(Path directory, JsonNode patch) {
        var target = patch.path("target");
        var targets = find(target.path("kind").asText(), target.path("name").asText());
        check(!targets.isEmpty(), "there is nothing for the patch of " + target);
        for (var operation :
                DeployFiles.yaml(directory.resolve(patch.path("path").asText())).getFirst()) {
            targets.forEach(object -> change(object, operation));
        }
    }

    private static void change(ObjectNode object, JsonNode operation) {
        var pointer = JsonPointer.compile(operation.path("path").asText());
        var there = object.at(pointer);
        var parent = object.at(pointer.head());
        var appends = operation.path("op").asText().equals("add")
                && pointer.toString().endsWith("/-");
        check(appends ? parent.isArray() : !there.isMissingNode(), pointer + " is not there to be changed");
        switch (operation.path("op").asText()) {
            case "add" -> ((ArrayNode) parent).add(operation.path("value"));
            case "test" -> check(there.equals(operation.path("value")), pointer + " is " + there);
            case "remove" -> ((ObjectNode) parent).remove(pointer.last().getMatchingProperty());
            case "replace" -> ((ObjectNode) parent).set(pointer.last().getMatchingProperty(), operation.path("value"));
            default -> throw new AssertionError("unknown operation " + operation);
        }
    }

    private void setImage(JsonNode image) {
        var name = image.path("name").asText();
        var containers = objects.stream()
                .flatMap(object -> object.findValues("containers").stream())
                .flatMap(list -> list.valueStream())
                .filter(container -> container.path("image").asText().equals(name))
                .toList();
        check(!containers.isEmpty(), "nothing has the image " + name);
        containers.forEach(container -> ((ObjectNode) container)
                .put("image", name + ":" + image.path("newTag").asText()));
    }

    private List<ObjectNode> find(String kind, String name) {
        return objects.stream()
                .filter(object -> object.path("kind").asText().equals(kind))
                .filter(object -> object.at("/metadata/name").asText().equals(name))
                .toList();
    }

    private static void check(boolean holds, String otherwise) {
        if (!holds) {
            throw new AssertionError(otherwise);
        }
    }
}
