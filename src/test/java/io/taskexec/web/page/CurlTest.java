package io.taskexec.web.page;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.taskexec.model.Json;
import org.junit.jupiter.api.Test;

class CurlTest {
    @Test
    void aShellTakesEveryTextAsItIs() throws Exception {
        var request = (ObjectNode) Json.parse("""
                {"method": "POST", "url": "http://x/?a=$(id)&b[]={1}", "headers": {"X-Name": "O'Neil"},
                  "body": "{'a': \\"b\\"}"}
                """);

        assertThat(Curl.of(request)).isEqualTo("""
                curl -X POST --globoff 'http://x/?a=$(id)&b[]={1}' \\
                  -H 'X-Name: O'\\''Neil' \\
                  --data-binary '{'\\''a'\\'': "b"}'""");
    }
}
