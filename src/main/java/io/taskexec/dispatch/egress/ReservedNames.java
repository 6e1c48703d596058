package io.taskexec.dispatch.egress;

import java.util.Locale;
import java.util.Set;

/**
 * Names that mean the machine itself or the metadata service of a cloud, on every resolver. What resolves here is
 * judged by its address; these names are for a proxy, which looks them up itself.
 */
final class ReservedNames {
    private static final Set<String> LOCAL = Set.of(
            "localhost",
            "localhost.localdomain",
            "localhost4",
            "localhost4.localdomain4",
            "localhost6",
            "localhost6.localdomain6",
            "ip6-localhost",
            "ip6-loopback");

    private static final Set<String> METADATA = Set.of(
            "metadata.google.internal",
            "metadata.goog",
            "instance-data",
            "instance-data.ec2.internal",
            "metadata.azure.internal",
            "metadata.tencentyun.com",
            "metadata.platformequinix.com",
            "metadata.packet.net",
            "api.metadata.cloud.ibm.com");

    private ReservedNames() {}

    /** The name in the form that it is compared in. */
    static String plain(String host) {
        var end = host.length();
        while (end > 0 && host.charAt(end - 1) == '.') {
            end--;
        }
        return host.substring(0, end).toLowerCase(Locale.ROOT);
    }

    /** Whether it means the machine that looks it up (RFC 6761, 6.3). */
    static boolean isLocal(String host) {
        var name = plain(host);
        return LOCAL.contains(name) || name.endsWith(".localhost");
    }

    static boolean isMetadata(String host) {
        return METADATA.contains(plain(host));
    }

    /**
     * Whether it is the metadata service where names are completed as on machines of Google; elsewhere it may be any
     * service.
     */
    static boolean isShortMetadata(String host) {
        return plain(host).equals("metadata");
    }
}
