package io.taskexec.api.web;

import io.taskexec.request.ApiException;
import io.taskexec.request.ErrorCode;
import io.taskexec.store.endpoint.Precondition;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * The value of {@code If-Match} or {@code If-None-Match} (RFC 9110, 13.1): everything, or the states with certain tags.
 *
 * @param strong the tags that are strong, with their quotes
 * @param weak the tags that are weak, with their quotes and without what says that they are
 */
public record EntityTags(boolean any, Set<String> strong, Set<String> weak) {
    public static final String IF_MATCH = "If-Match";
    public static final String IF_NONE_MATCH = "If-None-Match";

    private static final EntityTags ANY = new EntityTags(true, Set.of(), Set.of());

    /** One element of a list and the comma after it, if any; elements may be empty. */
    private static final Pattern ELEMENT = Pattern.compile(
            "\\G[ \\t]*+(?:(?<weak>W/)?(?<tag>\"[\\x21\\x23-\\x7e\\x80-\\xff]*+\")[ \\t]*+)?(?:,|(?<end>$))");

    /** Returns the precondition of {@code If-Match}; a weak tag never matches. */
    public static Precondition ifMatch(List<String> lines) {
        if (lines.isEmpty()) {
            return Precondition.NONE;
        }
        var tags = parse(IF_MATCH, lines);
        return (version, createdAt) -> tags.any || tags.strong.contains(EntityTag.of(version, createdAt));
    }

    /** Whether {@code If-None-Match} names what the client would get. */
    static boolean noneMatchNames(List<String> lines, String tag) {
        if (lines.isEmpty()) {
            return false;
        }
        var tags = parse(IF_NONE_MATCH, lines);
        return tags.any || tags.strong.contains(tag) || tags.weak.contains(tag);
    }

    /** Several lines of one header are one list. */
    private static EntityTags parse(String header, List<String> lines) {
        var list = String.join(",", lines);
        return list.strip().equals("*") ? ANY : tags(header, list);
    }

    private static EntityTags tags(String header, String list) {
        var strong = new HashSet<String>();
        var weak = new HashSet<String>();
        var element = ELEMENT.matcher(list);
        while (element.find()) {
            var tag = element.group("tag");
            if (tag != null) {
                var _ = (element.group("weak") == null ? strong : weak).add(tag);
            }
            if (element.group("end") != null) {
                return checked(header, new EntityTags(false, strong, weak));
            }
        }
        throw malformed(header);
    }

    private static EntityTags checked(String header, EntityTags tags) {
        if (tags.strong.isEmpty() && tags.weak.isEmpty()) {
            throw malformed(header);
        }
        return tags;
    }

    public static ApiException malformed(String header) {
        return new ApiException(
                ErrorCode.INVALID_REQUEST, "The header " + header + " must be '*' or a list of entity tags in quotes.");
    }
}
