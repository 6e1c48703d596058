package io.taskexec.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CronWordsTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "* * * * *             | every minute",
                "*/15 * * * *          | every 15 minutes",
                "0 * * * *             | every hour",
                "5 * * * *             | at minute 5 of every hour",
                "5,35 * * * *          | at minute 5 and 35 of every hour",
                "*/7 * * * *           | at minute 0 to 56 in steps of 7 of every hour",
                "0 */6 * * *           | every 6 hours",
                "0 0,12 * * *          | every 12 hours",
                "30 9 * * *            | at 09:30 every day",
                "0 9,17 * * *          | at 09:00 and 17:00 every day",
                "*/30 9-17 * * *       | at minute 0 and 30 of hour 9 to 17 every day",
                "* 9 * * *             | every minute of hour 9",
                "0 9 * * MON           | at 09:00 on Monday",
                "0 9 * * 1-5           | at 09:00 on Monday to Friday",
                "0 9 * * 6,7           | at 09:00 on Sunday and Saturday",
                "0 9 * * MON#1         | at 09:00 on the first Monday of the month",
                "0 9 * * 5L            | at 09:00 on the last Friday of the month",
                "0 9 1,15 * *          | at 09:00 on day 1 and 15 of the month",
                "0 9 L * *             | at 09:00 on the last day of the month",
                "0 9 L-3 * *           | at 09:00 on day 3 before the last of the month",
                "0 9 LW * *            | at 09:00 on the last workday of the month",
                "0 9 15W * *           | at 09:00 on the workday nearest to day 15 of the month",
                "0 9 1,L * *           | at 09:00 on day 1 of the month and the last day of the month",
                "0 9 13 * FRI          | at 09:00 on day 13 of the month or on Friday",
                "0 9 */2 * MON         | at 09:00 on day 1 to 31 in steps of 2 of the month if that is Monday",
                "0 9 29 2 *            | at 09:00 on day 29 of the month in February",
                "*/5 * * JUN-AUG,DEC * | every 5 minutes in June to August and December",
                "@yearly               | at 00:00 on day 1 of the month in January"
            })
    void aScheduleIsSaidInWords(String expression, String words) {
        assertThat(CronSchedule.parse(expression, "Europe/Berlin").describe()).isEqualTo(words + " (Europe/Berlin)");
    }
}
