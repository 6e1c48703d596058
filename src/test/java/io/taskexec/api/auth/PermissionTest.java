package io.taskexec.api.auth;

import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.api.endpoint.PayloadSpecResource;
import io.taskexec.api.execution.BulkResource;
import io.taskexec.api.web.Caller;
import io.taskexec.model.audit.KeyScope;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PermissionTest {
    @ParameterizedTest
    @CsvSource({
        "GET,    PayloadSpecResource, READ",
        "HEAD,   SecretResource,      READ",
        "GET,    JobResource,         READ",
        "GET,    KeyResource,         ADMIN",
        "HEAD,   KeyResource,         ADMIN",
        "GET,    AuditResource,       ADMIN",
        "POST,   JobResource,         JOBS",
        "PUT,    JobResource,         JOBS",
        "PATCH,  JobResource,         JOBS",
        "POST,   JobBatchResource,    JOBS",
        "POST,   ExecutionResource,   JOBS",
        "GET,    ExecutionListResource, READ",
        "POST,   BulkResource,        JOBS",
        "GET,    OperationResource,   READ",
        "POST,   OperationResource,   JOBS",
        "POST,   PayloadSpecResource, ADMIN",
        "PUT,    ConfigResource,      ADMIN",
        "DELETE, EndpointResource,    ADMIN",
        "POST,   SecretResource,      ADMIN",
        "POST,   KeyResource,         ADMIN",
        "POST,   ScheduleResource,    READ",
        "PURGE,  ConfigResource,      ADMIN"
    })
    void everyRequestNeedsAScope(String method, String resource, KeyScope needed) throws ClassNotFoundException {
        assertThat(Permission.needed(method, Class.forName("io.taskexec.api." + resource)))
                .isEqualTo(needed);
    }

    @Test
    void aResourceThatNobodyHasListedIsWrittenByAdministratorsOnly() {
        assertThat(Permission.needed("POST", String.class)).isEqualTo(KeyScope.ADMIN);
        assertThat(Permission.needed("GET", String.class)).isEqualTo(KeyScope.READ);
    }

    @Test
    void oneSufficientScopeIsEnough() {
        var caller = new Caller("both", "key_1", Set.of(KeyScope.READ, KeyScope.JOBS));

        assertThat(caller.may(KeyScope.JOBS)).isTrue();
        assertThat(caller.may(KeyScope.ADMIN)).isFalse();
        assertThat(Caller.BOOTSTRAP.may(KeyScope.ADMIN)).isTrue();
    }

    @Test
    void theKindOfAResourceComesFromItsName() {
        assertThat(Auditing.kind(PayloadSpecResource.class)).isEqualTo("payload_spec");
        assertThat(Auditing.kind(BulkResource.class)).isEqualTo("operation");
        assertThat(Auditing.kind(KeyResource.class)).isEqualTo("key");
    }
}
