package io.taskexec.dispatch.http;

import io.taskexec.dispatch.egress.Cidr;
import io.taskexec.dispatch.egress.EgressGuard;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/** Says which hosts are called without the proxy. */
final class ProxyExclusions {
    private static final Pattern NAME = Pattern.compile("\\.?[0-9a-z_-]+(?:\\.[0-9a-z_-]+)*");

    private final List<Cidr> ranges = new ArrayList<>();
    private final List<String> names = new ArrayList<>();
    private boolean everything;

    /**
     * Reads a list of names, which mean all that is below them too, of names with a dot before them, which mean only
     * that, of addresses and ranges, and of {@code *} for everything.
     *
     * @throws IllegalArgumentException with a sentence for the operator when an entry has another form
     */
    ProxyExclusions(List<String> entries) {
        entries.stream().map(entry -> entry.strip().toLowerCase(Locale.ROOT)).forEach(this::add);
    }

    private void add(String entry) {
        if (entry.equals("*")) {
            everything = true;
        } else if (entry.contains("/") || EgressGuard.literal(entry) != null) {
            ranges.add(Cidr.parse(entry));
        } else if (NAME.matcher(entry).matches()) {
            names.add(entry);
        } else {
            throw new IllegalArgumentException("\"" + entry + "\" is neither a name nor an address range nor *");
        }
    }

    /** Whether {@code host}, a name or a literal address, is called without the proxy. Names are not looked up. */
    boolean contains(String host) {
        if (everything) {
            return true;
        }
        var literal = EgressGuard.literal(host);
        if (literal != null) {
            return ranges.stream().anyMatch(range -> range.contains(literal));
        }
        var name = host.toLowerCase(Locale.ROOT).replaceAll("\\.$", "");
        return names.stream().anyMatch(entry -> isWithin(name, entry));
    }

    private static boolean isWithin(String name, String entry) {
        return entry.startsWith(".") ? name.endsWith(entry) : name.equals(entry) || name.endsWith("." + entry);
    }
}
