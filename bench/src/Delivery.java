/**
 * A way from the API to the receiver.
 *
 * @param jobs makes jobs for the endpoint that leads to the arrivals
 */
record Delivery(Service service, ApiClient api, JobJson jobs, Arrivals arrivals) {}
