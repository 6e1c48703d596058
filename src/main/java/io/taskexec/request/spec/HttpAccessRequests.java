package io.taskexec.request.spec;

import io.taskexec.model.endpoint.ClientCredentials;
import io.taskexec.model.endpoint.HttpAccess;
import io.taskexec.model.endpoint.TlsIdentity;
import io.taskexec.request.Fields;
import io.taskexec.template.Namespace;
import org.jspecify.annotations.Nullable;

/** Reads and checks how an HTTP endpoint shows who calls: the {@code tls} and {@code oauth2} of its spec. */
public final class HttpAccessRequests {
    private HttpAccessRequests() {}

    static @Nullable HttpAccess read(Fields spec) {
        return HttpAccess.of(tls(spec), oauth2(spec));
    }

    private static @Nullable TlsIdentity tls(Fields spec) {
        if (spec.optionalTree("tls") == null) {
            return null;
        }
        var fields = spec.fields("tls");
        var identity = new TlsIdentity(
                pem(fields, "client_certificate"), pem(fields, "client_key"), pem(fields, "ca_certificates"));
        fields.checkNested();
        if ((identity.clientCertificate() == null) != (identity.clientKey() == null)) {
            spec.violation("tls", "must have both of client_certificate and client_key, or neither");
        } else if (identity.clientCertificate() == null && identity.caCertificates() == null) {
            spec.violation("tls", "must have client_certificate and client_key, or ca_certificates");
        }
        return identity;
    }

    private static @Nullable String pem(Fields fields, String field) {
        var pem = fields.optionalText(field);
        if (pem != null && SpecTemplates.isLiteral(pem) && !pem.contains("-----BEGIN ")) {
            fields.violation(field, "must be PEM, or a template of it");
        }
        return pem;
    }

    private static @Nullable ClientCredentials oauth2(Fields spec) {
        if (spec.optionalTree("oauth2") == null) {
            return null;
        }
        var fields = spec.fields("oauth2");
        var client = new ClientCredentials(
                fields.text("token_url"),
                fields.text("client_id"),
                fields.text("client_secret"),
                fields.optionalText("scope"),
                fields.optionalText("audience"),
                fields.choice("auth", ClientCredentials.Auth.class));
        fields.checkNested();
        var headers = spec.optionalTree("headers");
        if (headers != null
                && headers.properties().stream()
                        .anyMatch(header -> header.getKey().equalsIgnoreCase("authorization"))) {
            spec.violation("headers", "must not have an Authorization beside oauth2, which sets it");
        }
        return client;
    }

    /** Hands the templates of {@code access} to {@code templates}: an input decides nothing here. */
    static void parse(HttpAccess access, SpecTemplates templates) {
        var tls = access.tls();
        if (tls != null) {
            parse("tls/client_certificate", tls.clientCertificate(), templates);
            parse("tls/client_key", tls.clientKey(), templates);
            parse("tls/ca_certificates", tls.caCertificates(), templates);
        }
        var oauth2 = access.oauth2();
        if (oauth2 != null) {
            parse("oauth2/token_url", oauth2.tokenUrl(), templates);
            parse("oauth2/client_id", oauth2.clientId(), templates);
            parse("oauth2/client_secret", oauth2.clientSecret(), templates);
            parse("oauth2/scope", oauth2.scope(), templates);
            parse("oauth2/audience", oauth2.audience(), templates);
        }
    }

    private static void parse(String field, @Nullable String text, SpecTemplates templates) {
        if (text != null) {
            templates.text(field, text, Namespace.CONFIG, Namespace.SECRET);
        }
    }
}
