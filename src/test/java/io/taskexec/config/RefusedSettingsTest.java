package io.taskexec.config;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests the sentences about single settings that are wrong. CommandLineIT shows that a start ends with them. */
class RefusedSettingsTest {
    private static void check(String name, String value) {
        var property = KnownSettings.all().stream()
                .filter(setting -> setting.name().equals(name))
                .findFirst()
                .orElseThrow()
                .property();
        StartupChecks.checkValues(Settings.read(Map.of(property, value)));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "TE_WORKER_MAX_CONCURRENT       | 0             | TE_WORKER_MAX_CONCURRENT | from 1",
                "TE_PRESSURE_LOW_PERCENT        | 90            | TE_PRESSURE_LOW_PERCENT | 90, 80 and 100",
                "TE_ROLES                       | worker,worker | TE_ROLES | twice, but is worker,worker",
                "TE_RETENTION_DAYS              | 1.5           | TE_RETENTION_DAYS | 1.5",
                "TE_CLOUD_EVENTS_SOURCE         | no reference  | TE_CLOUD_EVENTS_SOURCE | cannot be used",
                "TE_TARGET_SIGNING_SECRETS      | a,b,c         | TE_TARGET_SIGNING_SECRETS | one or two secrets",
                "TE_HEALTH_STALL_SEC            | 41            | TE_HEALTH_STALL_SEC | at least 42",
                "TE_LOG_FORMAT                  | yaml          | TE_LOG_FORMAT | yaml",
                "TE_MIGRATE_AT_START            | perhaps       | TE_MIGRATE_AT_START | perhaps",
                "TE_EGRESS_MODE                 | anywhere      | TE_EGRESS_MODE | anywhere",
                "TE_EGRESS_ALLOW_CIDRS          | 10.0.0.0/99   | TE_EGRESS_ALLOW_CIDRS | 10.0.0.0/99",
                "TE_REDIS_CA                    | /etc/ca.pem   | TE_REDIS_CA cannot be used | no certificate",
                "TE_HTTP_PROXY                  | socks5://a:1  | TE_HTTP_PROXY | http://host:port",
                "TE_HTTP_NO_PROXY               | 10.0.0.0/99   | TE_HTTP_NO_PROXY | 10.0.0.0/99",
                "TE_HTTP_CA_FILE                | /nowhere.pem  | TE_HTTP_CA_FILE | /nowhere.pem",
                "TE_UI_OIDC_ISSUER              | accounts      | TE_UI_OIDC_ISSUER | http or https URL",
                "TE_UI_OIDC_ISSUER              | https://a     | TE_UI_OIDC_ISSUER | needs TE_UI_OIDC_CLIENT_ID",
                "TE_UI_OIDC_SCOPES              | operators     | TE_UI_OIDC_SCOPES | has 'operators'",
                "TE_UI_OIDC_SCOPES              | a:b:jbos      | TE_UI_OIDC_SCOPES | did you mean",
                "TE_UI_OIDC_ISSUER              | wrong value%  | TE_UI_OIDC_ISSUER | http or https URL",
                "TE_UI_TRACE_URL                | https://a/t   | TE_UI_TRACE_URL | {trace_id}",
                "TE_ROLES                       | ''            | TE_ROLES | is empty",
                "TE_REGION                      | ''            | TE_REGION | leave it out",
                "TE_RETENTION_DAYS              | ''            | TE_RETENTION_DAYS | is empty",
                "TE_HTTP_USER_AGENT             | a\u0007b      | TE_HTTP_USER_AGENT | printable ASCII",
                "TE_PUBLIC_URL                  | http://u:p@x  | TE_PUBLIC_URL | user or password",
                "TE_LISTEN_ADDR                 | nowhere       | TE_LISTEN_ADDR | nowhere",
                "TE_MANAGEMENT_ADDR             | :99999        | TE_MANAGEMENT_ADDR | :99999",
                "TE_DATABASE_URL                | mysql://a/b   | TE_DATABASE_URL | postgresql://",
                "TE_SECRET_ENCRYPTION_KEY       | k1:c2hvcnQ=   | TE_SECRET_ENCRYPTION_KEY | 32",
            })
    void aBadSettingIsNamedWithTheReason(String name, String value, String named, String reason) {
        assertThatExceptionOfType(StartRefusedException.class)
                .isThrownBy(() -> check(name, value))
                .withMessageContainingAll(named, reason)
                .withMessageNotContainingAny("\n", "Exception", "SRCFG", "io.taskexec");
    }
}
