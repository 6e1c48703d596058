package io.taskexec.cli.apply;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.taskexec.cli.apply.DesiredResource.ResourceId;
import io.taskexec.cli.client.ServerClient;
import io.taskexec.cli.client.ServerPath;
import java.io.IOException;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The resources that were applied under the name of a set, so that {@code --prune} can remove those that no file has
 * any more. A config on the server stores them, because resources cannot be marked.
 */
final class AppliedSet {
    private static final String PREFIX = "applied-";
    private static final Pattern SET = Pattern.compile("[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?");

    private final String name;
    private final Set<ResourceId> kept;
    private @Nullable String tag;
    private boolean exists;

    private AppliedSet(String name, Set<ResourceId> kept, boolean exists, @Nullable String tag) {
        this.name = name;
        this.kept = kept;
        this.exists = exists;
        this.tag = tag;
    }

    static boolean isSet(String set) {
        return SET.matcher(set).matches();
    }

    /** Returns whether a config stores a set. */
    static boolean isConfig(String name) {
        return name.startsWith(PREFIX);
    }

    /** Reads a set from the server. */
    static AppliedSet read(ServerClient client, String set) throws IOException, InterruptedException {
        var name = PREFIX + set;
        var found = client.find(path(name));
        var kept = new LinkedHashSet<ResourceId>();
        if (found != null) {
            for (var names : found.body().path("values").properties()) {
                var kind = ResourceKind.of(names.getKey());
                if (kind != null) {
                    names.getValue().forEach(one -> kept.add(new ResourceId(kind, one.asText())));
                }
            }
        }
        return new AppliedSet(name, kept, found != null, found == null ? null : found.tag());
    }

    /** Returns the resources of the set, in their stored order. */
    Set<ResourceId> kept() {
        return Collections.unmodifiableSet(new LinkedHashSet<>(kept));
    }

    /** Stores the resources of the set. The entity tag prevents lost updates. */
    void write(ServerClient client, Collection<ResourceId> identities) throws IOException, InterruptedException {
        if (exists && kept.equals(Set.copyOf(identities))) {
            return;
        }
        var fields = JsonNodeFactory.instance.objectNode();
        fields.set("values", values(identities));
        if (exists) {
            var _ = client.put(path(name), fields, tag);
        } else {
            var _ = client.post(ResourceKind.CONFIG.path(), fields.put("name", name));
        }
        kept.clear();
        kept.addAll(identities);
        var written = client.find(path(name));
        exists = written != null;
        tag = written == null ? null : written.tag();
    }

    private static ObjectNode values(Collection<ResourceId> identities) {
        var values = JsonNodeFactory.instance.objectNode();
        for (var kind : ResourceKind.values()) {
            var names = new TreeSet<String>();
            identities.stream().filter(one -> one.kind() == kind).forEach(one -> names.add(one.name()));
            if (!names.isEmpty()) {
                names.forEach(values.putArray(kind.word())::add);
            }
        }
        return values;
    }

    private static String path(String name) {
        return ServerPath.of(ResourceKind.CONFIG.path()).below(name).toString();
    }
}
