package io.taskexec.resolve;

import io.taskexec.template.Reference;
import io.taskexec.template.Scope;
import io.taskexec.template.Template;
import java.util.HashSet;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * The template of a Redis URL. What placeholders between {@code ://} and {@code @} stand for is a name or a password,
 * and percent-encoded, so that every character of a secret arrives; elsewhere they may be a whole URL.
 *
 * @param userInfo all up to and with the {@code @}; empty when no {@code @} stands in the template itself
 */
record RedisUrl(Template userInfo, Template rest) {
    private static final Pattern WITH_USER_INFO = Pattern.compile("([^@]*://[^@]*@)(.*)", Pattern.DOTALL);

    static RedisUrl parse(String url) {
        var parts = WITH_USER_INFO.matcher(url);
        return parts.matches()
                ? new RedisUrl(Template.parse(parts.group(1)), Template.parse(parts.group(2)))
                : new RedisUrl(Template.parse(""), Template.parse(url));
    }

    Set<Reference> references() {
        var references = new HashSet<>(userInfo.references());
        references.addAll(rest.references());
        return references;
    }

    String text(Scope scope) {
        return userInfo.encodedText(scope) + rest.text(scope);
    }
}
