package io.taskexec.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.vertx.pgclient.PgConnectOptions;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DatabaseUrlTest {
    @ParameterizedTest
    @CsvSource({
        "db, 5432, db:5432",
        "task_db, 5432, task_db:5432",
        "my-db.eu_1.internal, 6543, my-db.eu_1.internal:6543",
        "10.0.0.7, 5432, 10.0.0.7",
        "::1, 5432, [::1]:5432"
    })
    void bothDriversGetTheHostThatIsMeant(String host, int port, String written) throws SQLException {
        var url = DatabaseUrl.parse("postgresql://us%40er:pa%3Ass+w%3Aord@" + written + "/jobs?sslmode=disable");

        assertThat(url.user()).isEqualTo("us@er");
        assertThat(url.password()).isEqualTo("pa:ss+w:ord");
        var reactive =
                PgConnectOptions.fromUri(String.valueOf(url.asProperties().get("quarkus.datasource.reactive.url")));
        assertThat(reactive.getHost()).isEqualTo(host);
        assertThat(reactive.getPort()).isEqualTo(port);
        assertThat(reactive.getDatabase()).isEqualTo("jobs");
        assertThat(url.jdbc()).startsWith("jdbc:postgresql://" + written).contains(":" + port + "/jobs");
        assertThat(DriverManager.getDriver(url.jdbc())).isNotNull();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "postgresql:jobs",
                "postgresql:///jobs",
                "postgresql://task_db/jobs",
                "postgresql://user:pass@/jobs",
                "postgresql://user:pass@one:5432,two:5432/jobs",
                "postgresql://user:pa@ss@task_db/jobs",
                "postgresql://user:pass@task_db:port/jobs",
                "postgresql://user:pass@task_db:5432/",
                "postgresql://user:pass@task_db:5432",
                "http://user:pass@task_db:5432/jobs"
            })
    void whatIsNoSuchUrlIsRefusedWithoutThePassword(String url) {
        assertThatExceptionOfType(StartRefusedException.class)
                .isThrownBy(() -> DatabaseUrl.parse(url))
                .withMessage("TE_DATABASE_URL must look like postgresql://user:password@host:5432/database.");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                ":99999/jobs                  | the port 99999",
                "/jobs?sslmod=verify-full     | the parameter 'sslmod'",
                "/jobs?sslmode=disable&foo=1  | the parameter 'foo'",
                "/jobs?application_name=jobs  | the parameter 'application_name'",
                "/jobs?currentSchema=te       | the parameter 'currentSchema', which must be one of sslmode,"
                        + " sslrootcert, options",
                "/jobs?sslmode=require&targetServerType=primary | the parameter 'targetServerType'",
                "/jobs?connectTimeout=3       | the parameter 'connectTimeout'",
                "/jobs?tcpKeepAlive=true      | the parameter 'tcpKeepAlive'",
                "/jobs?ssl=true               | the parameter 'ssl'",
                "/jobs?user=other             | the parameter 'user'",
                "/jobs?SSLMODE=disable        | the parameter 'SSLMODE'",
                "/jobs?sslmode=bogus          | the sslmode 'bogus', which must be one of disable, allow, prefer,"
                        + " require, verify-ca, verify-full",
                "/jobs?sslmode                | the sslmode ''",
                "/jobs?sslmode=verify-full    | the sslmode 'verify-full', which needs sslrootcert",
                "/jobs?sslmode=verify-ca&sslrootcert=/missing.pem | the sslrootcert '/missing.pem', which cannot be",
                "/jobs?sslmode=require&sslrootcert=pom.xml | the sslrootcert 'pom.xml', which cannot be read as",
                "/jobs?sslrootcert=/ca.pem    | sslrootcert, which needs the sslmode require, verify-ca or verify-full",
            })
    void aParameterThatWouldBePassedOverIsRefused(String end, String reason) {
        assertThatExceptionOfType(StartRefusedException.class)
                .isThrownBy(() -> DatabaseUrl.parse("postgresql://user:pass@db" + end))
                .withMessageContaining(reason)
                .withMessageNotContaining("pass@");
    }

    /** Of others the second driver would know nothing, and say nothing. */
    @Test
    void bothDriversGetTheOptionsOfTheSession() throws SQLException {
        var url = DatabaseUrl.parse("postgresql://user:pass@db/jobs?options=-c%20search_path%3Dte");

        var reactive =
                PgConnectOptions.fromUri(String.valueOf(url.asProperties().get("quarkus.datasource.reactive.url")));
        assertThat(reactive.getProperties()).containsEntry("options", "-c search_path=te");
        assertThat(DriverManager.getDriver(url.jdbc()).getPropertyInfo(url.jdbc(), new Properties()))
                .anySatisfy(property -> {
                    assertThat(property.name).isEqualTo("options");
                    assertThat(property.value).isEqualTo("-c search_path=te");
                });
    }

    @Test
    void aUserNeedsNoPassword() {
        assertThat(DatabaseUrl.parse("postgres://user@task_db/jobs").password()).isEmpty();
    }

    @Test
    void nothingBetweenParametersIsPassedOver() {
        assertThat(DatabaseUrl.parse("postgres://user@db/jobs?sslmode=require&").target())
                .isEqualTo("db:5432/jobs?sslmode=require&");
    }
}
