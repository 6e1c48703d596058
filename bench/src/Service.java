import java.net.InetSocketAddress;

/** Where the program under test answers, and the key that opens it. */
record Service(InetSocketAddress address, String apiKey) {
    String host() {
        return address.getHostString() + ":" + address.getPort();
    }
}
