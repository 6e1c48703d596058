package io.taskexec.web.frame;

import static org.assertj.core.api.Assertions.assertThat;

import io.taskexec.api.web.OidcConfig;
import io.taskexec.model.audit.KeyScope;
import io.taskexec.secret.KeyRing;
import io.taskexec.secret.SignedTexts;
import io.taskexec.secret.SignedTexts.Use;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class PeopleTest {
    private static final SignedTexts TEXTS = new SignedTexts(KeyRing.parse(KeyRing.generate()));

    private record Given(Optional<String> issuer, Optional<List<String>> scopes) implements OidcConfig {
        @Override
        public Optional<String> clientId() {
            return Optional.of("dashboard");
        }

        @Override
        public Optional<String> clientSecret() {
            return Optional.of("secret");
        }

        @Override
        public String claim() {
            return "groups";
        }

        @Override
        public List<String> ask() {
            return List.of();
        }
    }

    private static People people(String... scopes) {
        return new People(new Given(Optional.of("https://a"), Optional.of(List.of(scopes))), TEXTS);
    }

    @Test
    void groupsAddUpAndTheStarIsEverybody() {
        var people = people("a:read", "a:adhoc", "b:c:jobs", "*:work");

        assertThat(people.of("1", "ada", List.of("a", "b:c", "other"))
                        .orElseThrow()
                        .scopes())
                .containsExactlyInAnyOrder(KeyScope.READ, KeyScope.ADHOC, KeyScope.JOBS, KeyScope.WORK);
        assertThat(people.of("1", "ada", List.of()).orElseThrow().scopes()).containsExactly(KeyScope.WORK);
        assertThat(people("a:read").of("1", "ada", List.of("A", "*", ""))).isEmpty();
    }

    @Test
    void aPersonIsKnownAgainUntilTheSettingsChange() {
        var people = people("a:read", "a:jobs");
        var person =
                people.of("id with spaces\n", "Ada  L.\u202e\n", List.of("a")).orElseThrow();

        assertThat(person.name()).isEqualTo("person:Ada L.");
        assertThat(person.keyId()).isEqualTo("person:id_with_spaces_");
        assertThat(people.again(people.idOf(person))).hasValue(person);
        assertThat(people("a:read").again(people.idOf(person))).isEmpty();
        assertThat(new People(new Given(Optional.empty(), Optional.empty()), TEXTS).again(people.idOf(person)))
                .isEmpty();
        assertThat(people.again("person: x")).isEmpty();
    }

    @Test
    void theLongestNameFitsIntoACookie() {
        var people = people("a:read", "a:jobs", "a:adhoc", "a:work", "a:admin");
        var person = people.of("s".repeat(255), "\ud83d\ude80".repeat(300), List.of("a"))
                .orElseThrow();
        var text = "1800000000 " + "0".repeat(32) + " " + people.idOf(person);

        assertThat(TEXTS.read(Use.SESSION, TEXTS.sign(Use.SESSION, text))).isEqualTo(text);
        assertThat(people.of("s".repeat(256), "x", List.of("a"))).isEmpty();
    }
}
