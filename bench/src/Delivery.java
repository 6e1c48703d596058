import java.io.IOException;
import java.util.function.IntUnaryOperator;

/**
 * A way from the API to the receiver.
 *
 * @param jobs makes jobs for the endpoint that leads to the arrivals
 */
record Delivery(Service service, ApiClient api, JobJson jobs, Arrivals arrivals) {
    /** The same with jobs that have a flow key, depending on their number. */
    Delivery keys(IntUnaryOperator keyOf) {
        return new Delivery(service, api, jobs.keys(keyOf), arrivals);
    }

    /** The same with jobs of which each waits for the one before it, so many in a row. */
    Delivery chains(int length) {
        return new Delivery(service, api, jobs.parents(n -> n % length == 0 ? 0 : 1), arrivals);
    }

    /** The same with jobs of which one waits for so many before it. */
    Delivery fanIn(int parents) {
        return new Delivery(service, api, jobs.parents(n -> n % (parents + 1) == parents ? parents : 0), arrivals);
    }

    /** The same with jobs of another priority. */
    Delivery priority(int number) {
        return new Delivery(service, api, jobs.priority(number), arrivals);
    }

    /** Creates all jobs that are to arrive, in batches. */
    void createAll() throws IOException, InterruptedException {
        var _ = api.createJobs(arrivals.count(), jobs::immediate);
    }
}
