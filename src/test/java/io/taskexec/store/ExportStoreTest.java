package io.taskexec.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.SQLException;
import org.junit.jupiter.api.Test;

class ExportStoreTest {
    private static String told(String failure) {
        return String.valueOf(ExportStore.failure(new SQLException(failure)).getMessage());
    }

    @Test
    void anExportThatTookTooLongSaysWhatToSetBeforeTheNextOne() {
        assertThat(told("ERROR: batch timestamp 1736961131.07,0 must be after replica GC threshold 1736962031.07,0"))
                .contains("took longer", "gc.ttlseconds", "docs/cockroachdb.md", "batch timestamp");
    }

    @Test
    void anyOtherFailureIsTheOneOfTheDatabase() {
        assertThat(told("ERROR: permission denied for table jobs\n  Where: nowhere"))
                .isEqualTo("The database cannot be read: ERROR: permission denied for table jobs");
    }
}
