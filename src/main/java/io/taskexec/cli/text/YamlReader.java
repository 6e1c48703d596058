package io.taskexec.cli.text;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.taskexec.model.Json;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.composer.Composer;
import org.yaml.snakeyaml.error.Mark;
import org.yaml.snakeyaml.error.MarkedYAMLException;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.NodeId;
import org.yaml.snakeyaml.nodes.NodeTuple;
import org.yaml.snakeyaml.nodes.ScalarNode;
import org.yaml.snakeyaml.nodes.SequenceNode;
import org.yaml.snakeyaml.nodes.Tag;
import org.yaml.snakeyaml.parser.ParserImpl;
import org.yaml.snakeyaml.reader.StreamReader;
import org.yaml.snakeyaml.resolver.Resolver;

/**
 * Reads YAML, of which JSON is a part, into trees of JSON. Plain words are what JSON says that they are: {@code true},
 * {@code null} and {@code 12.50} are no texts, {@code no}, {@code 08:30} and {@code 2026-01-01} are.
 */
public final class YamlReader {
    private static final Pattern NUMBER = Pattern.compile("-?(0|[1-9]\\d*)(\\.\\d+)?([eE][-+]?\\d{1,4})?");
    private static final Tag PLAIN = new Tag("plain");
    private static final int MOST_NODES = 200_000;

    private final String file;
    private final List<YamlDocument> documents = new ArrayList<>();
    private YamlDocument.Places places = new YamlDocument.Places();
    private int nodes;

    private YamlReader(String file) {
        this.file = file;
    }

    /** All documents in a text but empty ones. */
    public static List<YamlDocument> read(String file, String text) throws MalformedTextException {
        var reader = new YamlReader(file);
        reader.readAll(text);
        return reader.documents;
    }

    /** Whether a plain word is a number. */
    static boolean isNumber(String text) {
        return NUMBER.matcher(text).matches();
    }

    private void readAll(String text) throws MalformedTextException {
        var options = new LoaderOptions();
        options.setNestingDepthLimit(Json.MAX_DEPTH);
        options.setCodePointLimit(Integer.MAX_VALUE);
        try {
            var yaml = file.endsWith(".json") || isJson(text) ? yaml(text) : text;
            var composer = new Composer(new ParserImpl(new StreamReader(yaml), options), new PlainResolver(), options);
            while (composer.checkNode()) {
                var node = composer.getNode();
                places = new YamlDocument.Places();
                var tree = tree(node, "", 0);
                if (!tree.isNull()) {
                    documents.add(new YamlDocument(file, tree, places));
                }
            }
        } catch (MarkedYAMLException e) {
            throw new MalformedTextException(at(e.getProblemMark()) + ": " + sentence(e.getProblem()));
        } catch (YAMLException e) {
            throw new MalformedTextException(file + ": " + sentence(e.getMessage()));
        }
    }

    /** The standard input has no name that tells. */
    private static boolean isJson(String text) {
        try {
            return Json.parse(text).isContainerNode();
        } catch (JsonProcessingException _) {
            return false;
        }
    }

    /** What YAML 1.1 has not of JSON: tabs, which are spaces outside of texts, and slashes with a backslash. */
    private static String yaml(String json) {
        var yaml = new StringBuilder(json.length());
        for (var i = 0; i < json.length(); i++) {
            var c = json.charAt(i);
            if (c == '\\' && i + 1 < json.length()) {
                var escaped = json.charAt(++i);
                yaml.append(escaped == '/' ? "/" : "\\" + escaped);
            } else {
                yaml.append(c == '\t' ? ' ' : c);
            }
        }
        return yaml.toString();
    }

    /** To the parser every plain word is the same. */
    private static final class PlainResolver extends Resolver {
        @Override
        public Tag resolve(NodeId kind, String value, boolean implicit) {
            return kind == NodeId.scalar && implicit ? PLAIN : super.resolve(kind, value, implicit);
        }
    }

    private JsonNode tree(Node node, String pointer, int depth) throws MalformedTextException {
        if (depth > Json.MAX_DEPTH || ++nodes > MOST_NODES) {
            throw new MalformedTextException(at(node.getStartMark()) + ": The document is too deep or too large.");
        }
        places.put(pointer, node.getStartMark().getLine() + 1);
        return switch (node) {
            case ScalarNode scalar -> scalar(scalar);
            case SequenceNode sequence -> {
                checkTag(node, Tag.SEQ);
                var array = JsonNodeFactory.instance.arrayNode();
                for (var element : sequence.getValue()) {
                    array.add(tree(element, pointer + "/" + array.size(), depth + 1));
                }
                yield array;
            }
            case MappingNode mapping -> {
                checkTag(node, Tag.MAP);
                yield object(mapping, pointer, depth);
            }
            default -> throw new MalformedTextException(at(node.getStartMark()) + ": This cannot be read.");
        };
    }

    private JsonNode object(MappingNode mapping, String pointer, int depth) throws MalformedTextException {
        var object = JsonNodeFactory.instance.objectNode();
        for (NodeTuple member : mapping.getValue()) {
            var where = member.getKeyNode().getStartMark();
            if (!(member.getKeyNode() instanceof ScalarNode key)
                    || key.getValue().isEmpty()) {
                throw new MalformedTextException(at(where) + ": The name of a field must be a text.");
            }
            var name = key.getValue();
            if (name.equals("<<") && key.getTag().equals(PLAIN)) {
                throw new MalformedTextException(
                        at(where) + ": Merge keys (<<) are not known here; repeat the fields.");
            }
            if (object.has(name)) {
                throw new MalformedTextException(at(where) + ": '" + name + "' is here twice.");
            }
            var below = pointer + "/" + YamlDocument.escape(name);
            object.set(name, tree(member.getValueNode(), below, depth + 1));
            // Where it is named, not where a block below it begins.
            places.put(below, where.getLine() + 1);
        }
        return object;
    }

    private JsonNode scalar(ScalarNode scalar) throws MalformedTextException {
        var text = scalar.getValue();
        var json = JsonNodeFactory.instance;
        if (!scalar.getTag().equals(PLAIN)) {
            checkTag(scalar, Tag.STR);
            return json.textNode(text);
        }
        return switch (text) {
            case "", "~", "null", "Null", "NULL" -> json.nullNode();
            case "true", "True", "TRUE" -> json.booleanNode(true);
            case "false", "False", "FALSE" -> json.booleanNode(false);
            default -> isNumber(text) ? number(scalar) : json.textNode(text);
        };
    }

    /** As the API will read it, with all of its digits. */
    private JsonNode number(ScalarNode scalar) throws MalformedTextException {
        try {
            return Json.parse(scalar.getValue());
        } catch (JsonProcessingException _) {
            throw new MalformedTextException(at(scalar.getStartMark()) + ": This number cannot be read.");
        }
    }

    private void checkTag(Node node, Tag usual) throws MalformedTextException {
        if (!node.getTag().equals(usual)) {
            throw new MalformedTextException(
                    at(node.getStartMark()) + ": The tag " + node.getTag().getValue() + " is not known here.");
        }
    }

    private String at(@Nullable Mark mark) {
        return mark == null ? file : file + ":" + (mark.getLine() + 1);
    }

    private static String sentence(@Nullable String problem) {
        return problem == null ? "This is no YAML." : "This is no YAML: " + PlainLine.of(problem) + ".";
    }
}
