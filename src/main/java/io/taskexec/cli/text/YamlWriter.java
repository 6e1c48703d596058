package io.taskexec.cli.text;

import com.fasterxml.jackson.databind.JsonNode;
import io.taskexec.model.VisibleText;
import java.util.ArrayList;
import java.util.regex.Pattern;
import org.snakeyaml.engine.v2.api.DumpSettings;
import org.snakeyaml.engine.v2.api.lowlevel.Present;
import org.snakeyaml.engine.v2.api.lowlevel.Serialize;
import org.snakeyaml.engine.v2.common.FlowStyle;
import org.snakeyaml.engine.v2.common.ScalarStyle;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;
import org.snakeyaml.engine.v2.nodes.Tag;

/** Writes JSON trees as YAML. Quotes each string that a reader of YAML 1.1 or 1.2 would take for another type. */
public final class YamlWriter {
    private static final Pattern INTEGER = Pattern.compile("-?\\d+");

    /** Nulls, booleans, numbers and dates of YAML 1.1, which many programs still read. */
    private static final Pattern AMBIGUOUS = Pattern.compile(
            "|[~=]|<<|null|true|false|yes|no|on|off|y|n" + "|[-+]?\\.(?:inf|nan)|[-+.]*\\d[-+.:_\\da-fxotz ]*",
            Pattern.CASE_INSENSITIVE);

    private static final Tag NOT_A_STRING = new Tag("ambiguous");

    private YamlWriter() {}

    /** Writes one document. */
    public static String write(JsonNode tree) {
        var settings = DumpSettings.builder()
                .setSplitLines(false)
                .setSchema(new ScalarSchema(YamlWriter::resolve))
                .build();
        return new Present(settings)
                .emitToString(new Serialize(settings).serializeOne(node(tree)).iterator());
    }

    private static Tag resolve(String text, boolean isPlain) {
        if (!isPlain) {
            return Tag.STR;
        }
        if (YamlReader.isNumber(text)) {
            return INTEGER.matcher(text).matches() ? Tag.INT : Tag.FLOAT;
        }
        return switch (text) {
            case "true", "false" -> Tag.BOOL;
            case "null" -> Tag.NULL;
            default -> AMBIGUOUS.matcher(text).matches() ? NOT_A_STRING : Tag.STR;
        };
    }

    private static Node node(JsonNode tree) {
        var flow = tree.isEmpty() ? FlowStyle.FLOW : FlowStyle.BLOCK;
        return switch (tree.getNodeType()) {
            case OBJECT -> {
                var members = new ArrayList<NodeTuple>();
                tree.properties().forEach(e -> members.add(new NodeTuple(string(e.getKey()), node(e.getValue()))));
                yield new MappingNode(Tag.MAP, members, flow);
            }
            case ARRAY -> {
                var elements = new ArrayList<Node>();
                tree.forEach(element -> elements.add(node(element)));
                yield new SequenceNode(Tag.SEQ, elements, flow);
            }
            case STRING -> string(tree.textValue());
            case NUMBER -> scalar(tree.isIntegralNumber() ? Tag.INT : Tag.FLOAT, tree.asText());
            case BOOLEAN -> scalar(Tag.BOOL, tree.asText());
            default -> scalar(Tag.NULL, "null");
        };
    }

    private static Node string(String text) {
        // Only double quotes can escape a hidden character without changing the value.
        var style = VisibleText.hasHidden(text)
                ? ScalarStyle.DOUBLE_QUOTED
                : text.contains("\n") ? ScalarStyle.LITERAL : ScalarStyle.PLAIN;
        return new ScalarNode(Tag.STR, text, style);
    }

    private static Node scalar(Tag tag, String text) {
        return new ScalarNode(tag, text, ScalarStyle.PLAIN);
    }
}
