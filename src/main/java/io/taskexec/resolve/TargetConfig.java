package io.taskexec.resolve;

import io.smallrye.config.ConfigMapping;
import io.taskexec.model.Setting;
import java.util.List;
import java.util.Optional;

/** Settings of the targets of jobs ({@code TE_TARGET_*}). */
@ConfigMapping(prefix = "te.target")
public interface TargetConfig {
    @Setting(
            value = "The names of the secrets that [sign](signing.md) the requests to [targets](api.md#targets), one"
                    + " or two while they are exchanged. The same in all workers.",
            otherwise = "not signed")
    Optional<List<String>> signingSecrets();
}
