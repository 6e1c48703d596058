package io.taskexec.cli.apply;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.taskexec.cli.apply.Declared.Identity;
import io.taskexec.cli.client.RefusedException;
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
 * What was applied under the name of a set, so that it can be removed when no file has it any more. It is kept in a config
 * of the server, because resources themselves have no place for a mark.
 */
final class Inventory {
    private static final String PREFIX = "applied-";
    private static final Pattern SET = Pattern.compile("[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?");

    private final String name;
    private final Set<Identity> kept;
    private @Nullable String tag;
    private boolean exists;

    private Inventory(String name, Set<Identity> kept, boolean exists, @Nullable String tag) {
        this.name = name;
        this.kept = kept;
        this.exists = exists;
        this.tag = tag;
    }

    static boolean isSet(String set) {
        return SET.matcher(set).matches();
    }

    /** Whether a config of this name is one of these. */
    static boolean isConfig(String name) {
        return name.startsWith(PREFIX);
    }

    /** What the server remembers of a set. */
    static Inventory read(ServerClient client, String set) throws RefusedException, IOException, InterruptedException {
        var name = PREFIX + set;
        var found = client.find(path(name));
        var kept = new LinkedHashSet<Identity>();
        if (found != null) {
            for (var names : found.body().path("values").properties()) {
                var kind = Kind.of(names.getKey());
                if (kind != null) {
                    names.getValue().forEach(one -> kept.add(new Identity(kind, one.asText())));
                }
            }
        }
        return new Inventory(name, kept, found != null, found == null ? null : found.tag());
    }

    /** What was applied before, in the order in which it is written down. */
    Set<Identity> kept() {
        return Collections.unmodifiableSet(new LinkedHashSet<>(kept));
    }

    /** Remembers these from now on; two who do so at once do not overwrite each other. */
    void write(ServerClient client, Collection<Identity> identities)
            throws RefusedException, IOException, InterruptedException {
        if (exists && kept.equals(Set.copyOf(identities))) {
            return;
        }
        var fields = JsonNodeFactory.instance.objectNode();
        fields.set("values", values(identities));
        if (exists) {
            var _ = client.put(path(name), fields, tag);
        } else {
            var _ = client.post(Kind.CONFIG.path(), fields.put("name", name));
        }
        kept.clear();
        kept.addAll(identities);
        var written = client.find(path(name));
        exists = written != null;
        tag = written == null ? null : written.tag();
    }

    private static ObjectNode values(Collection<Identity> identities) {
        var values = JsonNodeFactory.instance.objectNode();
        for (var kind : Kind.values()) {
            var names = new TreeSet<String>();
            identities.stream().filter(one -> one.kind() == kind).forEach(one -> names.add(one.name()));
            if (!names.isEmpty()) {
                names.forEach(values.putArray(kind.word())::add);
            }
        }
        return values;
    }

    private static String path(String name) {
        return ServerPath.of(Kind.CONFIG.path()).below(name).toString();
    }
}
