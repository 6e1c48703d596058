package io.taskexec.examples.cloudillo;

import io.taskexec.examples.cloudillo.federation.Hosts;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The settings of an instance.
 *
 * @param identity its domain name
 * @param address where its API listens
 * @param folder of its files
 * @param hosts where others are
 */
record Settings(String identity, InetSocketAddress address, Path folder, Hosts hosts) {
    static final String USAGE = """
            Usage: java -jar cloudillo.jar --identity NAME --port PORT --data FOLDER [--host NAME=URL]...

              --identity  the domain name of this instance, such as alice.example
              --port      of its API, on 127.0.0.1
              --data      the folder of its files, which is created
              --host      where another instance is; without it at https://cl-o.NAME

            TE_URL and TE_TOKEN are the address and the key of taskexec.""";

    /** Reads the arguments of the program. */
    static Settings parse(String... arguments) {
        var single = new LinkedHashMap<String, String>();
        var hosts = new LinkedHashMap<String, URI>();
        for (var i = 0; i < arguments.length; i += 2) {
            var name = arguments[i];
            if (i + 1 == arguments.length) {
                throw new IllegalArgumentException(name + " needs a value.");
            }
            var value = arguments[i + 1];
            switch (name) {
                case "--identity", "--port", "--data" -> single.put(name, value);
                case "--host" -> addHost(hosts, value);
                default -> throw new IllegalArgumentException("There is no option " + name + ".");
            }
        }
        var identity = required(single, "--identity");
        if (!Hosts.isIdentity(identity)) {
            throw new IllegalArgumentException("'%s' is no domain name in small letters.".formatted(identity));
        }
        return new Settings(
                identity,
                new InetSocketAddress(InetAddress.getLoopbackAddress(), port(required(single, "--port"))),
                Path.of(required(single, "--data")),
                new Hosts(hosts));
    }

    private static void addHost(Map<String, URI> hosts, String value) {
        var parts = value.split("=", 2);
        if (parts.length != 2 || !Hosts.isIdentity(parts[0]) || !parts[1].startsWith("http")) {
            throw new IllegalArgumentException("--host is NAME=URL, not '%s'.".formatted(value));
        }
        hosts.put(parts[0], URI.create(parts[1]));
    }

    private static int port(String text) {
        try {
            var port = Integer.parseInt(text);
            if (port >= 0 && port <= 65_535) {
                return port;
            }
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("--port is a number, not '%s'.".formatted(text), e);
        }
        throw new IllegalArgumentException("--port is from 0 to 65535, not %s.".formatted(text));
    }

    private static String required(Map<String, String> values, String name) {
        var value = values.get(name);
        if (value == null) {
            throw new IllegalArgumentException(name + " is missing.");
        }
        return value;
    }
}
