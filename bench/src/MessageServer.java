/** A server other than HTTP that the program delivers to. */
interface MessageServer extends AutoCloseable {
    /** Makes a fresh place with this name, and gives the registration of the endpoint that leads there. */
    String endpoint(String name) throws Exception;

    /** How many messages have come to a place. */
    long count(String name) throws Exception;

    /** The time between the first and the last message at a place, by the server's clock. */
    double seconds(String name) throws Exception;
}
