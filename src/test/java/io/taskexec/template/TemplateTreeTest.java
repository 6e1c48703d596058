package io.taskexec.template;

import static io.taskexec.template.Trees.input;
import static io.taskexec.template.Trees.json;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.TextNode;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TemplateTreeTest {
    @Test
    void theStringsOfATreeAreTemplates() {
        var tree = TemplateTree.parse(json("""
                {'user_id': '{{input.user_id}}', 'greeting': 'Hi {{input.name}}', 'tags': ['{{input.tags}}', 'x', 1],
                 'from': {'sender': '{{config.sender}}', 'key': '{{secret.key}}'}, 'n': null, 'yes': true}"""));
        var scope = new Scope(
                json("{'user_id': 7, 'name': 'Ann', 'tags': ['a']}"), json("{'sender': null}"), name -> "k-" + name);

        assertThat(tree.resolve(scope)).isEqualTo(json("""
                {'user_id': 7, 'greeting': 'Hi Ann', 'tags': [['a'], 'x', 1],
                 'from': {'sender': null, 'key': 'k-key'}, 'n': null, 'yes': true}"""));
    }

    @Test
    void namesOfMembersAreNotTemplates() {
        var tree = TemplateTree.parse(json("{'{{input.x}}': 1, '{{': 2}"));

        assertThat(tree.resolve(input("{'x': 'y'}"))).isEqualTo(json("{'{{input.x}}': 1, '{{': 2}"));
        assertThat(tree.references()).isEmpty();
    }

    @Test
    void eachTemplateIsHandedOverWithItsPlace() {
        var tree = TemplateTree.parse(json("{'a/b': ['x', 1, '{{input.x}}'], '~': {'': '{{config.y}} {{input.z}}'}}"));
        var places = new LinkedHashMap<String, String>();

        tree.forEach(
                (pointer, template) -> places.put(pointer, template.references().toString()));

        assertThat(places)
                .containsExactly(
                        Map.entry("/a~1b/0", "[]"),
                        Map.entry("/a~1b/2", "[input.x]"),
                        Map.entry("/~0/", "[config.y, input.z]"));
        TemplateTree.parse(json("'{{input.x}}'"))
                .forEach((pointer, _) -> assertThat(pointer).isEmpty());
    }

    @Test
    void membersKeepTheirOrder() {
        var tree = TemplateTree.parse(json("{'b': '{{input.x}}', 'a': 1, 'c': 2}"));

        assertThat(tree.resolve(input("{'x': 0}")).fieldNames()).toIterable().containsExactly("b", "a", "c");
    }

    @Test
    void referencesOfAllStringsAreCollected() {
        var tree = TemplateTree.parse(json("{'a': ['{{input.x}}'], 'b': {'c': '{{secret.y}} {{input.x}}'}}"));

        assertThat(tree.references()).map(Reference::toString).containsExactly("input.x", "secret.y");
    }

    @ParameterizedTest
    @ValueSource(strings = {"null", "1", "12.50", "'text'", "{}", "[]", "[[], {}]"})
    void aTreeWithoutPlaceholdersStandsForItself(String tree) {
        assertThat(TemplateTree.parse(json(tree)).resolve(input("{}"))).isEqualTo(json(tree));
    }

    @Test
    void aRootThatIsAPlaceholderKeepsItsType() {
        assertThat(TemplateTree.parse(TextNode.valueOf("{{input.x}}")).resolve(input("{'x': {'a': 1}}")))
                .isEqualTo(json("{'a': 1}"));
    }

    @Test
    void aMalformedTemplateIsNamedByItsPointer() {
        assertThatThrownBy(() -> TemplateTree.parse(json("{'a/b~c': ['ok', 'x{{env.y}}']}")))
                .isInstanceOf(TemplateSyntaxException.class)
                .hasMessage(
                        "unknown namespace 'env' (known are input, config, secret, parents, workflow, job) at offset 3"
                                + " of the string at '/a~1b~0c/1'");
    }

    @Test
    void aTreeMayHaveThirtyTwoLevels() {
        var deepest = json("[".repeat(32) + "'{{input.x}}'" + "]".repeat(32));
        var tooDeep = json("[".repeat(33) + "]".repeat(33));

        assertThat(TemplateTree.parse(deepest).references()).hasSize(1);
        assertThatThrownBy(() -> TemplateTree.parse(tooDeep))
                .isInstanceOf(TemplateSyntaxException.class)
                .hasMessage("the template has more than 32 levels");
    }

    @Test
    void anInputMayBeDeeperThanATemplateButNotWithoutEnd() {
        var tree = TemplateTree.parse(json("['{{input.x}}']"));

        assertThat(tree.resolve(input("{'x': " + "[".repeat(400) + "]".repeat(400) + "}")))
                .isNotEmpty();
        var hostile = JsonNodeFactory.instance.arrayNode();
        for (var level = 0; level < 100_000; level++) {
            hostile = JsonNodeFactory.instance.arrayNode().add(hostile);
        }
        var scope = new Scope(JsonNodeFactory.instance.objectNode().set("x", hostile), null, SecretSource.NONE);
        assertThatThrownBy(() -> tree.resolve(scope))
                .isInstanceOf(UnresolvableException.class)
                .hasMessage("the resolved template has more than 500 levels");
    }

    @Test
    void aResultThatMultipliesALargeInputIsUnresolvable() {
        var scope = input("{'x': {'" + "k".repeat(40_000) + "': '" + "v".repeat(500_000) + "'}}");

        assertThat(TemplateTree.parse(json("['{{input.x}}']")).resolve(scope)).hasSize(1);
        assertThatThrownBy(() -> TemplateTree.parse(json("['{{input.x}}', '{{input.x}}']"))
                        .resolve(scope))
                .isInstanceOf(UnresolvableException.class)
                .hasMessage("the resolved template is longer than 1048576 characters");
    }

    @Test
    void manyEmptyValuesCountToo() {
        var scope = input("{'x': [" + "'',".repeat(600_000) + "'']}");

        assertThatThrownBy(() -> TemplateTree.parse(json("['{{input.x}}', '{{input.x}}']"))
                        .resolve(scope))
                .isInstanceOf(UnresolvableException.class);
    }

    @Test
    void resolvingLeavesTheTemplateAsItWas() {
        var tree = TemplateTree.parse(json("{'a': '{{input.x}}'}"));

        assertThat(tree.resolve(input("{'x': 1}"))).isEqualTo(json("{'a': 1}"));
        assertThat(tree.resolve(input("{'x': 2}"))).isEqualTo(json("{'a': 2}"));
    }
}
