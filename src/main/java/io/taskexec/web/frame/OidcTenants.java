package io.taskexec.web.frame;

import io.quarkus.oidc.OidcRequestContext;
import io.quarkus.oidc.OidcTenantConfig;
import io.quarkus.oidc.TenantConfigResolver;
import io.quarkus.oidc.runtime.OidcTenantConfig.ApplicationType;
import io.quarkus.oidc.runtime.OidcTenantConfig.Roles.Source;
import io.smallrye.mutiny.Uni;
import io.taskexec.api.web.OidcConfig;
import io.taskexec.secret.SignedTexts;
import io.taskexec.secret.SignedTexts.Use;
import io.vertx.ext.web.RoutingContext;
import jakarta.inject.Singleton;
import org.jspecify.annotations.Nullable;

/**
 * Tells Quarkus about the identity provider when a person wants to log in there, and not before: a process starts
 * without it, and nothing but the login is protected by it.
 */
@Singleton
final class OidcTenants implements TenantConfigResolver {
    /** The page to which the provider sends people back. */
    static final String DONE = "/ui/login/oidc/done";

    private final OidcConfig config;
    private final SignedTexts texts;
    // Quarkus keeps what it has learned from the provider by these very objects.
    private @Nullable OidcTenantConfig plain;
    private @Nullable OidcTenantConfig secure;

    OidcTenants(OidcConfig config, SignedTexts texts) {
        this.config = config;
        this.texts = texts;
    }

    @Override
    public synchronized Uni<OidcTenantConfig> resolve(
            RoutingContext context, OidcRequestContext<OidcTenantConfig> request) {
        if (config.issuer().isEmpty()
                || !String.valueOf(context.request().path()).startsWith("/ui/login/oidc")) {
            return Uni.createFrom().nullItem();
        }
        if (Sessions.isSecure(context.request())) {
            secure = secure == null ? tenant("https", true) : secure;
            return Uni.createFrom().item(secure);
        }
        plain = plain == null ? tenant("http", false) : plain;
        return Uni.createFrom().item(plain);
    }

    private OidcTenantConfig tenant(String id, boolean isSecure) {
        // Each process must be able to read what another one has written.
        var secret = texts.mark(Use.OIDC, "state");
        return OidcTenantConfig.authServerUrl(config.issuer().orElseThrow())
                .tenantId(id)
                .applicationType(ApplicationType.WEB_APP)
                .clientId(config.clientId().orElseThrow())
                .credentials(config.clientSecret().orElseThrow())
                .roles(Source.idtoken, config.claim())
                .tokenStateManager()
                .encryptionSecret(secret)
                .end()
                .authentication()
                .scopes(config.ask())
                .pkceRequired()
                .nonceRequired()
                .stateSecret(secret)
                .redirectPath(DONE)
                .cookiePath(DONE)
                .cookieForceSecure(isSecure)
                .forceRedirectHttpsScheme(isSecure)
                .allowMultipleCodeFlows(false)
                .failOnMissingStateParam()
                .removeRedirectParameters(false)
                .end()
                .build();
    }
}
