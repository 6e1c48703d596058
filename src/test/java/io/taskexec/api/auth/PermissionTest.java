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
        "GET,    endpoint.PayloadSpecResource, READ",
        "HEAD,   endpoint.SecretResource,      READ",
        "GET,    job.JobResource,         READ",
        "GET,    auth.KeyResource,         ADMIN",
        "HEAD,   auth.KeyResource,         ADMIN",
        "GET,    auth.AuditResource,       ADMIN",
        "POST,   job.JobResource,         JOBS",
        "PUT,    job.JobResource,         JOBS",
        "PATCH,  job.JobResource,         JOBS",
        "POST,   job.JobBatchResource,    JOBS",
        "POST,   execution.ExecutionResource,   JOBS",
        "GET,    execution.ExecutionListResource, READ",
        "POST,   execution.BulkResource,        JOBS",
        "GET,    execution.OperationResource,   READ",
        "POST,   execution.OperationResource,   JOBS",
        "POST,   endpoint.PayloadSpecResource, ADMIN",
        "PUT,    endpoint.ConfigResource,      ADMIN",
        "DELETE, endpoint.EndpointResource,    ADMIN",
        "POST,   endpoint.SecretResource,      ADMIN",
        "POST,   auth.KeyResource,         ADMIN",
        "POST,   lease.LeaseResource,      WORK",
        "POST,   job.ScheduleResource,    READ",
        "PURGE,  endpoint.ConfigResource,      ADMIN"
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
    void theScopeOfWorkersIsApartFromTheOthers() {
        assertThat(KeyScope.WORK.includes(KeyScope.WORK)).isTrue();
        assertThat(KeyScope.ADMIN.includes(KeyScope.WORK)).isTrue();
        for (var other : Set.of(KeyScope.READ, KeyScope.JOBS, KeyScope.ADHOC)) {
            assertThat(KeyScope.WORK.includes(other)).as(other.toString()).isFalse();
            assertThat(other.includes(KeyScope.WORK)).as(other.toString()).isFalse();
        }
    }

    @Test
    void theKindOfAResourceComesFromItsName() {
        assertThat(Auditing.kind(PayloadSpecResource.class)).isEqualTo("payload_spec");
        assertThat(Auditing.kind(BulkResource.class)).isEqualTo("operation");
        assertThat(Auditing.kind(KeyResource.class)).isEqualTo("key");
    }
}
