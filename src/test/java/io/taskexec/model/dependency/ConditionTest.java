package io.taskexec.model.dependency;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.taskexec.testing.Rows;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ConditionTest {
    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            {'pointer': '/a', 'equals': 1}                                | true
            {'pointer': '/a', 'equals': 1.0}                              | true
            {'pointer': '/a', 'equals': '1'}                              | false
            {'pointer': '/b/0', 'equals': 'x'}                            | true
            {'pointer': '/b', 'equals': ['x', 2.0]}                       | true
            {'pointer': '/b', 'equals': [2, 'x']}                         | false
            {'pointer': '/none', 'equals': null}                          | false
            {'pointer': '/empty', 'equals': null}                         | true
            {'pointer': '/none', 'exists': false}                         | true
            {'pointer': '/empty', 'exists': true}                         | true
            {'pointer': '/a', 'in': [3, 2, 1]}                            | true
            {'pointer': '/a', 'in': []}                                   | false
            {'not': {'pointer': '/a', 'in': [2, 3]}}                      | true
            {'not': {'not': {'pointer': '/a', 'equals': 2}}}              | false
            []                                                            | true
            [{'pointer': '/a', 'equals': 1}, {'pointer': '/c', 'exists': true}] | false
            {'not': [{'pointer': '/a', 'equals': 1}, {'pointer': '/c', 'exists': true}]} | true
            """)
    void aConditionHoldsOrDoesNot(String condition, boolean holds) {
        var tree = Rows.json("{'a': 1, 'b': ['x', 2], 'empty': null}");

        assertThat(Condition.of(Rows.json(condition)).holds(tree)).isEqualTo(holds);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "1",
                "{}",
                "{'pointer': '/a'}",
                "{'pointer': 'a', 'equals': 1}",
                "{'pointer': '/a', 'in': 1}",
                "{'pointer': '/a', 'exists': 'yes'}",
                "{'pointer': '/a', 'equals': 1, 'in': [1]}",
                "{'pointer': '/a', 'like': 1}",
                "{'not': 1}",
                "[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]"
            })
    void whatIsNoConditionIsRefusedWithAReason(String text) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Condition.of(Rows.json(text)))
                .withMessageMatching("must .*");
    }
}
