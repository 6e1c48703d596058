package io.taskexec.cli.client;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import io.taskexec.model.Json;
import org.junit.jupiter.api.Test;

class RefusedExceptionTest {
    private static RefusedException refusal(String error) throws JsonProcessingException {
        return RefusedException.of(400, Json.parse(error.replace('\'', '"')));
    }

    @Test
    void oneWrongFieldIsSaidOnce() throws JsonProcessingException {
        var refusal = refusal("""
                {'code': 'INVALID_REQUEST', 'message': '/a must be 1.',
                 'details': [{'pointer': '/a', 'message': 'must be 1'}]}
                """);

        assertThat(refusal.explanation()).isEqualTo("/a: must be 1 (INVALID_REQUEST)");
        assertThat(refusal.at(pointer -> "f.yaml:" + pointer.length()).explanation())
                .isEqualTo("f.yaml:2 /a: must be 1 (INVALID_REQUEST)");
    }

    @Test
    void manyWrongFieldsHaveALineEach() throws JsonProcessingException {
        var refusal = refusal("""
                {'code': 'INVALID_REQUEST', 'message': '/a must be 1.',
                 'details': [{'pointer': '/a', 'message': 'must be 1'}, {'pointer': '', 'message': 'is too much'}]}
                """);

        assertThat(refusal.explanation())
                .isEqualTo("2 things are wrong (INVALID_REQUEST)\n  /a: must be 1\n  /: is too much");
    }

    @Test
    void aMessageThatSaysMoreThanItsDetailsStays() throws JsonProcessingException {
        var refusal = refusal("""
                {'code': 'INPUT_VALIDATION_FAILED', 'message': 'The input does not match.',
                 'details': [{'pointer': '/input/n', 'message': 'must be a number'}]}
                """);

        assertThat(refusal.explanation())
                .isEqualTo("The input does not match. (INPUT_VALIDATION_FAILED)\n  /input/n: must be a number");
        assertThat(refusal("{'code': 'CONFLICT', 'message': 'It is in use.'}")
                        .at(_ -> "f.yaml:3")
                        .explanation())
                .isEqualTo("f.yaml:3: It is in use. (CONFLICT)");
    }
}
