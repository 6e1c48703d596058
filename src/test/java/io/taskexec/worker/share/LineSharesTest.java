package io.taskexec.worker.share;

import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.model.queue.QueueShare;
import io.taskexec.store.sql.Lanes;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class LineSharesTest {
    private static final int JOBS = Lanes.lane(1, 0, false, 0);
    private static final int TICKS = Lanes.lane(1, 0, true, 0);
    private static final int KEYED = Lanes.keyed(JOBS);
    private static final int OTHER = Lanes.lane(2, 0, false, 0);
    private static final Map<Integer, QueueShare> WEIGHTS = Map.of(
            1, new QueueShare(1, 6, 0, false), 2, new QueueShare(2, 4, 0, false), 3, new QueueShare(3, 90, 0, false));

    private final LineShares shares = new LineShares();

    @Test
    void jobsTicksAndKeyedExecutionsOfAQueueHaveItsPartTogether() {
        assertThat(shares.divide(100, List.of(JOBS, TICKS, KEYED, OTHER), WEIGHTS))
                .containsOnly(Map.entry(JOBS, 20), Map.entry(TICKS, 20), Map.entry(KEYED, 20), Map.entry(OTHER, 40));
    }

    @Test
    void oneSlotAtATimeTheyTakeTurns() {
        var sums = new HashMap<Integer, Integer>();
        for (var i = 0; i < 100; i++) {
            shares.divide(1, List.of(JOBS, TICKS, OTHER), WEIGHTS).forEach((line, part) -> {
                shares.took(line, part);
                sums.merge(line, part, Integer::sum);
            });
        }

        assertThat(sums).containsOnly(Map.entry(JOBS, 30), Map.entry(TICKS, 30), Map.entry(OTHER, 40));
    }

    @Test
    void whatTheTicksOfAQueueLeaveGoesToItsJobs() {
        var limits = shares.divide(100, List.of(JOBS, TICKS, OTHER), WEIGHTS);
        assertThat(limits).containsOnly(Map.entry(JOBS, 30), Map.entry(TICKS, 30), Map.entry(OTHER, 40));
        shares.took(JOBS, 30);
        shares.took(TICKS, 1);
        shares.took(OTHER, 40);

        assertThat(shares.divide(29, List.of(JOBS, OTHER), WEIGHTS)).containsOnly(Map.entry(JOBS, 29));
    }

    @Test
    void whatAQueueLeavesGoesToTheOthers() {
        var _ = shares.divide(100, List.of(JOBS, OTHER), WEIGHTS);
        shares.took(JOBS, 10);
        shares.took(OTHER, 40);

        assertThat(shares.divide(50, List.of(OTHER), WEIGHTS)).containsOnly(Map.entry(OTHER, 50));
    }
}
