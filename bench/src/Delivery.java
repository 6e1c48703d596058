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

    /** The same with jobs of another priority. */
    Delivery priority(int number) {
        return new Delivery(service, api, jobs.priority(number), arrivals);
    }

    /** Creates all jobs that are to arrive, in batches. */
    void createAll() throws IOException, InterruptedException {
        var _ = api.createJobs(arrivals.count(), jobs::immediate);
    }
}
