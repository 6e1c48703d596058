package io.taskexec.cli.text;

import com.fasterxml.jackson.databind.JsonNode;
import io.taskexec.model.VisibleText;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import org.yaml.snakeyaml.DumperOptions;
import org.yaml.snakeyaml.DumperOptions.FlowStyle;
import org.yaml.snakeyaml.DumperOptions.ScalarStyle;
import org.yaml.snakeyaml.emitter.Emitter;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.NodeId;
import org.yaml.snakeyaml.nodes.NodeTuple;
import org.yaml.snakeyaml.nodes.ScalarNode;
import org.yaml.snakeyaml.nodes.SequenceNode;
import org.yaml.snakeyaml.nodes.Tag;
import org.yaml.snakeyaml.resolver.Resolver;
import org.yaml.snakeyaml.serializer.Serializer;

/** Writes trees of JSON as YAML, with quotes around every text that some reader would take for something else. */
public final class YamlWriter {
    private YamlWriter() {}

    /** One document. */
    public static String write(JsonNode tree) {
        var options = new DumperOptions();
        options.setSplitLines(false);
        options.setIndent(2);
        var text = new StringWriter();
        try {
            var serializer = new Serializer(new Emitter(text, options), new CautiousResolver(), options, null);
            serializer.open();
            serializer.serialize(node(tree));
            serializer.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return text.toString();
    }

    /** Also knows numbers that were none in YAML 1.1. */
    private static final class CautiousResolver extends Resolver {
        @Override
        public Tag resolve(NodeId kind, String value, boolean implicit) {
            if (kind == NodeId.scalar && implicit && YamlReader.isNumber(value)) {
                return value.matches("-?\\d+") ? Tag.INT : Tag.FLOAT;
            }
            return super.resolve(kind, value, implicit);
        }
    }

    private static Node node(JsonNode tree) {
        return switch (tree.getNodeType()) {
            case OBJECT -> {
                var members = new ArrayList<NodeTuple>();
                tree.properties().forEach(e -> members.add(new NodeTuple(text(e.getKey()), node(e.getValue()))));
                yield new MappingNode(Tag.MAP, members, members.isEmpty() ? FlowStyle.FLOW : FlowStyle.BLOCK);
            }
            case ARRAY -> {
                var elements = new ArrayList<Node>();
                tree.forEach(element -> elements.add(node(element)));
                yield new SequenceNode(Tag.SEQ, elements, elements.isEmpty() ? FlowStyle.FLOW : FlowStyle.BLOCK);
            }
            case STRING -> text(tree.textValue());
            case NUMBER -> scalar(tree.isIntegralNumber() ? Tag.INT : Tag.FLOAT, tree.asText());
            case BOOLEAN -> scalar(Tag.BOOL, tree.asText());
            default -> scalar(Tag.NULL, "null");
        };
    }

    private static Node text(String text) {
        // Only between these can a character be written out and stay the same.
        var style = VisibleText.hasHidden(text)
                ? ScalarStyle.DOUBLE_QUOTED
                : text.contains("\n") ? ScalarStyle.LITERAL : ScalarStyle.PLAIN;
        return new ScalarNode(Tag.STR, text, null, null, style);
    }

    private static Node scalar(Tag tag, String text) {
        return new ScalarNode(tag, text, null, null, ScalarStyle.PLAIN);
    }
}
