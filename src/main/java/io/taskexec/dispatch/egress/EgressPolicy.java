package io.taskexec.dispatch.egress;

import java.net.InetAddress;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Decides by its address alone whether a target may be called.
 *
 * @param allow ranges allowed on top of the mode
 * @param deny ranges denied whatever else allows them
 */
public record EgressPolicy(EgressConfig.Mode mode, List<Cidr> allow, List<Cidr> deny) {
    /**
     * The policy that the configuration states.
     *
     * @throws IllegalArgumentException with a sentence for the operator when a range cannot be read
     */
    public static EgressPolicy of(EgressConfig config) {
        return new EgressPolicy(
                config.mode(),
                ranges(config.allowCidrs().orElse(List.of())),
                ranges(config.denyCidrs().orElse(List.of())));
    }

    /** Why {@code address}, or an IPv4 address within it, may not be called; null when it may. */
    public @Nullable String refusal(InetAddress address) {
        return Stream.concat(Stream.of(address), EmbeddedAddresses.of(address).stream())
                .flatMap(each -> Stream.ofNullable(refusalOfOne(each)))
                .findFirst()
                .orElse(null);
    }

    /**
     * Why {@code address}, which the rules for its kind allow and which is one of this machine, may not be called;
     * null when it may. What listens there is often there for this machine alone, as with loopback addresses.
     */
    @Nullable
    String refusalOfOwn(InetAddress address) {
        return mode == EgressConfig.Mode.OPEN || holds(allow, address)
                ? null
                : "an address of this machine itself, which TE_EGRESS_MODE=" + name() + " does not allow;"
                        + " TE_EGRESS_ALLOW_CIDRS can";
    }

    private String name() {
        return mode.name().toLowerCase(Locale.ROOT);
    }

    private @Nullable String refusalOfOne(InetAddress address) {
        var kind = AddressKind.of(address);
        if (kind == AddressKind.METADATA || kind == AddressKind.LINK_LOCAL) {
            return kind.label() + ", which is never called";
        }
        if (holds(deny, address)) {
            return "an address that TE_EGRESS_DENY_CIDRS excludes";
        }
        if (holds(allow, address) || modeAllows(kind)) {
            return null;
        }
        return kind.label() + ", which TE_EGRESS_MODE=" + name() + " does not allow";
    }

    private boolean modeAllows(AddressKind kind) {
        return switch (kind) {
            case PUBLIC -> true;
            case PRIVATE -> mode != EgressConfig.Mode.PUBLIC;
            case LOOPBACK -> mode == EgressConfig.Mode.OPEN;
            case METADATA, LINK_LOCAL, MULTICAST, RESERVED -> false;
        };
    }

    private static boolean holds(List<Cidr> ranges, InetAddress address) {
        return ranges.stream().anyMatch(range -> range.contains(address));
    }

    private static List<Cidr> ranges(List<String> texts) {
        return texts.stream().map(String::strip).map(Cidr::parse).toList();
    }
}
