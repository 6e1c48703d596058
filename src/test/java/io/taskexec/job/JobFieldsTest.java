package io.taskexec.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.model.ValueType;
import io.taskexec.model.job.JobFields;
import io.taskexec.model.job.TriggerKind;
import io.taskexec.schedule.CronSchedule;
import io.taskexec.store.sql.Lanes;
import java.util.List;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Compares the definition of a job with what other layers say of the same limits. */
class JobFieldsTest {
    @Test
    void everyPriorityHasALane() {
        var priority = JobFields.NEW_JOB.field("priority");

        assertThat(priority.type()).isEqualTo(new ValueType.Whole(0, Lanes.PRIORITIES - 1));
        assertThat(String.valueOf(priority.defaultValue())).isEqualTo("" + Lanes.DEFAULT_PRIORITY);
    }

    @Test
    void aCronExpressionIsAsLongAsTheParserTakes() {
        assertThat(JobFields.CRON.as(ValueType.Text.class).maxLength()).isEqualTo(CronSchedule.MAX_LENGTH);
    }

    @Test
    void anUpdateHasTheFieldsOfASchedule() {
        var fields = new TreeSet<>(JobFields.REPLACEMENT.fields().keySet());
        fields.removeIf(field ->
                !TriggerFields.isFor(field, TriggerKind.CRON) && !TriggerFields.isFor(field, TriggerKind.INTERVAL));

        assertThat(JobFields.JOB_UPDATE.fields().keySet()).isEqualTo(fields);
        fields.addAll(List.of("run_at", "delay", "expires_at", "deadline"));
        assertThat(JobFields.JOB_PATCH.fields().keySet()).isEqualTo(fields);
    }
}
