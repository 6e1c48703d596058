package io.taskexec.api.web;

import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import io.taskexec.model.Setting;
import io.taskexec.model.audit.KeyScope;
import io.taskexec.request.Choice;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Settings of logging in to the dashboard at an identity provider. */
@ConfigMapping(prefix = "te.ui-oidc")
public interface OidcConfig {
    /** The group of all people whom the provider knows. */
    String ALL = "*";

    @Setting(
            value = "The identity provider at which people may [log in to the dashboard](dashboard.md#single-sign-on),"
                    + " by OpenID Connect: its issuer, below which it has `/.well-known/openid-configuration`.",
            form = "URL",
            otherwise = "none, people log in with API keys")
    Optional<String> issuer();

    @Setting(value = "The name of the dashboard at the identity provider.", otherwise = "none, required with an issuer")
    Optional<String> clientId();

    @Setting(
            value = "The secret that belongs to it.",
            otherwise = "none, required with an issuer",
            file = true,
            shown = Setting.Shown.NOTHING)
    Optional<String> clientSecret();

    @Setting(
            value = "What members of groups may do, with the [scopes of keys](api.md#keys): `GROUP:SCOPE`. All people"
                    + " whom the provider knows are in the group `*`.",
            otherwise = "none, required with an issuer")
    Optional<List<String>> scopes();

    @Setting("The claim of the ID token with the groups of a person, such as `realm_access/roles`.")
    @WithDefault("groups")
    String claim();

    @Setting("What is asked of the provider beside `openid`; some send groups for `groups` alone.")
    @WithDefault("profile,email")
    List<String> ask();

    /** Checks the settings together; throws IllegalArgumentException with a sentence. */
    default Map<String, Set<KeyScope>> checked() {
        if (!issuer().map(OidcConfig::isWeb).orElse(true)) {
            throw new IllegalArgumentException("TE_UI_OIDC_ISSUER must be an absolute http or https URL");
        }
        var isComplete = clientId().isPresent() && clientSecret().isPresent() && scopes().isPresent();
        if (issuer().isPresent() && !isComplete) {
            throw new IllegalArgumentException(
                    "TE_UI_OIDC_ISSUER needs TE_UI_OIDC_CLIENT_ID, TE_UI_OIDC_CLIENT_SECRET and TE_UI_OIDC_SCOPES");
        }
        var byGroup = new HashMap<String, Set<KeyScope>>();
        for (var entry : scopes().orElse(List.of())) {
            var colon = entry.lastIndexOf(':');
            var group = entry.substring(0, Math.max(colon, 0)).strip();
            if (group.isEmpty()) {
                throw new IllegalArgumentException(
                        "TE_UI_OIDC_SCOPES must have entries such as 'operators:jobs', and has '%s'".formatted(entry));
            }
            byGroup.computeIfAbsent(group, _ -> EnumSet.noneOf(KeyScope.class))
                    .add(scope(entry.substring(colon + 1).strip()));
        }
        return byGroup;
    }

    private static boolean isWeb(String url) {
        try {
            var uri = new URI(url);
            var isWeb = "https".equalsIgnoreCase(uri.getScheme()) || "http".equalsIgnoreCase(uri.getScheme());
            return isWeb && uri.getHost() != null;
        } catch (URISyntaxException _) {
            return false;
        }
    }

    private static KeyScope scope(String word) {
        var scope = Choice.of(word, KeyScope.class);
        if (scope == null) {
            throw new IllegalArgumentException(
                    "TE_UI_OIDC_SCOPES must have scopes of keys, " + Choice.oneOf(word, Choice.words(KeyScope.class)));
        }
        return scope;
    }
}
