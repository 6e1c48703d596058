package io.taskexec.cli.text;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.taskexec.model.Json;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.api.lowlevel.Compose;
import org.snakeyaml.engine.v2.api.lowlevel.Parse;
import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;
import org.snakeyaml.engine.v2.nodes.Tag;

/**
 * Reads YAML 1.2, which includes JSON, into JSON trees. Plain scalars have the types of JSON: {@code true} and
 * {@code 12.50} are not strings; {@code no}, {@code 08:30} and {@code 2026-01-01} are.
 */
public final class YamlReader {
    private static final Pattern NUMBER = Pattern.compile("-?(0|[1-9]\\d*)(\\.\\d+)?([eE][-+]?\\d{1,4})?");
    private static final Tag PLAIN = new Tag("plain");

    /** Bounds what aliases multiply. */
    private static final int MAX_NODES = 200_000;

    private final String file;
    private final List<YamlDocument> documents = new ArrayList<>();
    private YamlDocument.Places places = new YamlDocument.Places();
    private int nodes;

    private YamlReader(String file) {
        this.file = file;
    }

    /** Reads all documents of a text; empty ones are left out. */
    public static List<YamlDocument> read(String file, String text) throws MalformedTextException {
        var reader = new YamlReader(file);
        reader.readAll(text);
        return reader.documents;
    }

    static boolean isNumber(String text) {
        return NUMBER.matcher(text).matches();
    }

    private void readAll(String text) throws MalformedTextException {
        var settings = LoadSettings.builder()
                .setCodePointLimit(Integer.MAX_VALUE)
                .setSchema(new ScalarSchema((_, isPlain) -> isPlain ? PLAIN : Tag.STR))
                .build();
        try {
            checkDepth(settings, text);
            for (var node : new Compose(settings).composeAllFromString(text)) {
                places = new YamlDocument.Places();
                var tree = tree(node, "", 0);
                if (!tree.isNull()) {
                    documents.add(new YamlDocument(file, tree, places));
                }
            }
        } catch (MarkedYamlEngineException e) {
            throw malformed(e.getProblemMark(), "Not valid YAML: " + PlainLine.of(e.getProblem()) + ".");
        } catch (YamlEngineException e) {
            throw new MalformedTextException(
                    file + ": Not valid YAML: " + PlainLine.of(String.valueOf(e.getMessage())) + ".");
        }
    }

    /** The composer recurses without a limit, so the events are counted before it sees them. */
    private void checkDepth(LoadSettings settings, String text) throws MalformedTextException {
        var depth = 0;
        for (var event : new Parse(settings).parseString(text)) {
            depth += switch (event.getEventId()) {
                case SequenceStart, MappingStart -> 1;
                case SequenceEnd, MappingEnd -> -1;
                default -> 0;
            };
            checkSize(depth, event.getStartMark());
        }
    }

    private void checkSize(int depth, Optional<Mark> mark) throws MalformedTextException {
        if (depth > Json.MAX_DEPTH || nodes > MAX_NODES) {
            throw malformed(mark, "The document is too deep or too large.");
        }
    }

    private JsonNode tree(Node node, String pointer, int depth) throws MalformedTextException {
        nodes++;
        checkSize(depth, node.getStartMark());
        node.getStartMark().ifPresent(mark -> places.put(pointer, mark.getLine() + 1));
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
            default -> throw malformed(node.getStartMark(), "This is not supported.");
        };
    }

    private JsonNode object(MappingNode mapping, String pointer, int depth) throws MalformedTextException {
        var object = JsonNodeFactory.instance.objectNode();
        for (var member : mapping.getValue()) {
            var mark = member.getKeyNode().getStartMark();
            if (!(member.getKeyNode() instanceof ScalarNode key)
                    || key.getValue().isEmpty()) {
                throw malformed(mark, "The name of a field must be a string.");
            }
            var name = key.getValue();
            if (name.equals("<<") && key.getTag().equals(PLAIN)) {
                throw malformed(mark, "Merge keys (<<) are not supported; repeat the fields.");
            }
            if (object.has(name)) {
                throw malformed(mark, "The field '" + name + "' is repeated.");
            }
            var below = pointer + "/" + YamlDocument.escape(name);
            object.set(name, tree(member.getValueNode(), below, depth + 1));
            // A block value begins on a later line than its name.
            mark.ifPresent(named -> places.put(below, named.getLine() + 1));
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

    /** The parser of the API keeps all digits. */
    private JsonNode number(ScalarNode scalar) throws MalformedTextException {
        try {
            return Json.parse(scalar.getValue());
        } catch (JsonProcessingException _) {
            throw malformed(scalar.getStartMark(), "This number is not supported.");
        }
    }

    private void checkTag(Node node, Tag expected) throws MalformedTextException {
        if (!node.getTag().equals(expected)) {
            throw malformed(node.getStartMark(), "The tag " + node.getTag().getValue() + " is not supported.");
        }
    }

    private MalformedTextException malformed(Optional<Mark> mark, String sentence) {
        var place = mark.map(at -> file + ":" + (at.getLine() + 1)).orElse(file);
        return new MalformedTextException(place + ": " + sentence);
    }
}
