package io.taskexec.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.store.execution.QueueDepthStore.Depth;
import java.util.List;
import org.junit.jupiter.api.Test;

class QueueReportTest {
    private static final List<Depth> DEPTHS =
            List.of(new Depth("default", 5, 2, 4, 1, 12.6, 0), new Depth("slow", 10, 0, 0, 3, 30, 60));

    @Test
    void whatOnlyPullWorkersTakeIsCountedForItself() {
        var depths = List.of(new Depth("default", 5, 0, 0, 0, 1, 0), new Depth("worker:resize", 7, 1, 2, 3, 60, 0));

        var report = QueueReport.all(depths);

        assertThat(report.path("total")).hasToString("""
                {"ready":5,"paused":0,"scheduled":0,"parked":0,"running":0,"oldest_age_seconds":1}""");
        assertThat(report.path("pulled")).hasToString("""
                {"ready":7,"paused":0,"scheduled":1,"parked":2,"running":3,"oldest_age_seconds":60}""");
        assertThat(QueueReport.one(depths, "worker:resize").path("ready").asInt())
                .isEqualTo(7);
    }

    @Test
    void theTotalSumsUpAllQueuesAndHasTheGreatestAgeOfThoseThatAreNotPaused() {
        assertThat(QueueReport.all(DEPTHS)).hasToString("""
                {"total":{"ready":5,"paused":10,"scheduled":2,"parked":4,"running":4,"oldest_age_seconds":13},\
                "pulled":{"ready":0,"paused":0,"scheduled":0,"parked":0,"running":0,"oldest_age_seconds":0},\
                "queues":[\
                {"queue":"default","ready":5,"paused":0,"scheduled":2,"parked":4,"running":1,"oldest_age_seconds":13},\
                {"queue":"slow","ready":0,"paused":10,"scheduled":0,"parked":0,"running":3,"oldest_age_seconds":0}\
                ]}""");
    }

    @Test
    void aQueueThatDoesNotExistIsIdle() {
        assertThat(QueueReport.one(DEPTHS, "none")).hasToString("""
                {"queue":"none","ready":0,"paused":0,"scheduled":0,"parked":0,"running":0,"oldest_age_seconds":0}""");
    }

    @Test
    void oneQueueStandsAlone() {
        assertThat(QueueReport.one(DEPTHS, "default").path("ready").asInt()).isEqualTo(5);
    }
}
