package io.taskexec.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.testing.Api;
import io.taskexec.testing.ServerTest;
import jakarta.inject.Inject;
import java.util.Collections;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;

@ServerTest(own = "The first request for a page of its program must be its own.")
class DashboardStartIT {
    private static final int PEOPLE = 16;

    @Inject
    private static Api api;

    @Test
    void allPagesAreThereForPeopleWhoComeAtOnceAfterTheStart() throws Exception {
        // The client has loaded its classes, so that the requests are not one after the other.
        assertThat(api.get("/queues").statusCode()).isEqualTo(200);
        // The route of unknown pages is the last one.
        Callable<Integer> visit =
                () -> api.bare().redirects().follow(false).get("/ui/nothing").statusCode();

        try (var people = Executors.newFixedThreadPool(PEOPLE)) {
            for (var answer : people.invokeAll(Collections.nCopies(PEOPLE, visit))) {
                assertThat(answer.get()).as("the way to the login").isEqualTo(303);
            }
        }
    }
}
