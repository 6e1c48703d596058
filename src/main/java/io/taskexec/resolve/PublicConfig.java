package io.taskexec.resolve;

import io.smallrye.config.ConfigMapping;
import io.taskexec.model.Setting;
import java.net.URI;
import java.util.Optional;

/** The address of the API as receivers and people see it. */
@ConfigMapping(prefix = "te.public")
public interface PublicConfig {
    @Setting(
            value = "The address of the API as receivers see it, for their [callbacks](deferral.md#callbacks), such as"
                    + " `https://tasks.example.com`. Without it no endpoint can have callbacks or approvals. In"
                    + " `taskexec dev` it is that of the API.",
            form = "URL",
            otherwise = "none")
    Optional<String> url();

    /** Checks that it can be the beginning of an address; throws IllegalArgumentException with a sentence. */
    default Optional<URI> checked() {
        return url().map(text -> {
            var uri = URI.create(text.replaceFirst("/+$", ""));
            var isWeb = "https".equalsIgnoreCase(uri.getScheme()) || "http".equalsIgnoreCase(uri.getScheme());
            if (!isWeb || uri.getHost() == null || uri.getRawQuery() != null || uri.getRawFragment() != null) {
                throw new IllegalArgumentException("must be an absolute http or https URL without a query");
            }
            // It is the beginning of what receivers get.
            if (uri.getRawUserInfo() != null) {
                throw new IllegalArgumentException("must not have a user or password");
            }
            return uri;
        });
    }
}
