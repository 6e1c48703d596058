package io.taskexec;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.ObjectWriter;
import com.oracle.svm.core.annotate.TargetClass;
import com.tngtech.archunit.core.domain.AccessTarget.CodeUnitCallTarget;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import io.quarkus.runtime.annotations.RegisterForReflection;
import java.io.IOException;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Proxy;
import java.lang.reflect.Type;
import java.net.JarURLConnection;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Properties;
import java.util.ResourceBundle;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jboss.resteasy.reactive.server.ServerExceptionMapper;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/**
 * Checks that the settings of the native image are complete, and listed in docs/native.md. No executable is built here:
 * this reads the inputs of its build, the bytecode, the settings and the libraries.
 */
class NativeImageTest {
    private static final String ROOT = MainClasses.ROOT;

    /** Libraries of tests, which come with the broker of Kafka and with the channels for it. */
    private static final Set<String> OF_TESTS =
            Set.of("log4j-api", "log4j-core", "okhttp-jvm", "opentelemetry-api-incubator", "pcollections");

    /** What names a class or a member of one at run time, or reads the class path. */
    private static final Predicate<CodeUnitCallTarget> REFLECTION = MainClasses.calls(
                    Class.class,
                    "forName|getResource|getResourceAsStream|newInstance|get(Declared)?(Constructor|Method|Field)s?")
            .or(MainClasses.calls(ClassLoader.class, "loadClass|getResources?|getResourceAsStream|resources"))
            .or(MainClasses.calls(Constructor.class, "newInstance"))
            .or(MainClasses.calls(Method.class, "invoke"))
            .or(MainClasses.calls(Field.class, "get|set"))
            .or(MainClasses.calls(Proxy.class, "newProxyInstance"))
            .or(MainClasses.calls(ServiceLoader.class, "load.*"))
            .or(MainClasses.calls(ResourceBundle.class, "getBundle"));

    /** What Jackson does with classes, and with trees too, which need no reflection. */
    private static final Predicate<CodeUnitCallTarget> BINDING = MainClasses.calls(
                    ObjectMapper.class, "readValues?|treeToValue|valueToTree|convertValue|updateValue|writeValue.*")
            .or(MainClasses.calls(ObjectMapper.class, "(reader|writer)(For.*)?"))
            .or(MainClasses.calls(ObjectReader.class, "read.*"))
            .or(MainClasses.calls(ObjectWriter.class, "write.*"));

    @Test
    void everyUseOfReflectionAndOfResourcesIsListed() {
        assertThat(NativeList.below("Our own reflection and resources"))
                .containsExactlyElementsOf(callersOf(REFLECTION));
    }

    @Test
    void everyUseOfJacksonOnMoreThanRequestsAndAnswersIsListed() {
        assertThat(NativeList.below("JSON beside requests and answers")).containsExactlyElementsOf(callersOf(BINDING));
    }

    /** Of these Quarkus knows at build time which classes become JSON. */
    @Test
    void everyAnswerOfTheApiSaysWhichClassItIs() {
        var answers = MainClasses.ALL.stream()
                .flatMap(type -> type.getMethods().stream())
                .filter(method -> method.isMetaAnnotatedWith(jakarta.ws.rs.HttpMethod.class)
                        || method.isAnnotatedWith(ServerExceptionMapper.class))
                .map(method -> method.reflect().getGenericReturnType())
                .toList();

        assertThat(answers)
                .hasSizeGreaterThan(40)
                .allSatisfy(answer -> assertThat(leaves(answer))
                        .as(answer.getTypeName())
                        .isNotEmpty()
                        .allSatisfy(leaf -> assertThat(leaf == Void.class
                                        || leaf == String.class
                                        || leaf.getName().startsWith(ROOT))
                                .as("%s is a class of ours", leaf)
                                .isTrue()));
    }

    /**
     * Picocli reads their annotations and sets their fields. Quarkus registers those of the program, and only those.
     */
    @Test
    void everyCommandIsOfTheProgramOrOfPicocli() {
        assertThat(commands().toList()).hasSizeGreaterThan(50).allSatisfy(command -> {
            var type = command.userObject().getClass();
            assertThat(type.getName().startsWith(ROOT) || type.getName().startsWith("picocli."))
                    .as("%s is registered for reflection", type)
                    .isTrue();
        });
    }

    /** Picocli makes those by reflection that an annotation names; we make the others. */
    @Test
    void everyCommandThatAnAnnotationNamesCanBeMade() {
        var named = commands()
                .flatMap(command ->
                        Stream.ofNullable(command.userObject().getClass().getAnnotation(CommandLine.Command.class)))
                .flatMap(annotation -> Arrays.stream(annotation.subcommands()))
                .toList();

        assertThat(named)
                .isNotEmpty()
                .allSatisfy(type -> assertThat(type.getDeclaredConstructors())
                        .as(type.getName())
                        .anySatisfy(constructor ->
                                assertThat(constructor.getParameterCount()).isZero()));
    }

    @Test
    void everyClassThatAnOptionNamesIsRegistered() {
        var named = commands()
                .flatMap(command -> command.args().stream())
                .flatMap(argument -> Stream.concat(
                        Arrays.stream(argument.converters()), Stream.ofNullable(argument.completionCandidates())))
                .map(Object::getClass)
                .filter(type -> type.getName().startsWith(ROOT));

        assertThat(named).allSatisfy(type -> assertThat(registered()).contains(type));
    }

    @Test
    void whatIsRegisteredIsListed() {
        assertThat(NativeList.below("Registered by annotation"))
                .containsExactlyElementsOf(Stream.concat(registered().stream().map(Class::getName), registeredByName())
                        .map(name -> name.substring(name.lastIndexOf('.') + 1))
                        .collect(Collectors.toCollection(TreeSet::new)));
    }

    private static Stream<String> registeredByName() {
        return MainClasses.ALL.stream()
                .filter(type -> type.isAnnotatedWith(RegisterForReflection.class))
                .flatMap(type -> Stream.of(
                        type.getAnnotationOfType(RegisterForReflection.class).classNames()));
    }

    /** A class that takes the place of another one has all of its methods that others can call. */
    @Test
    void whatIsReplacedIsListedAndReplacedAsAWhole() throws ClassNotFoundException {
        var replaced = new TreeSet<String>();
        for (var type : MainClasses.ALL) {
            if (type.isAnnotatedWith(TargetClass.class)) {
                var name = type.getAnnotationOfType(TargetClass.class).className();
                replaced.add(name);
                assertThat(signatures(type.reflect()))
                        .as(name)
                        .containsAll(
                                signatures(Class.forName(name, false, getClass().getClassLoader())));
            }
        }

        assertThat(NativeList.below("Replaced")).isNotEmpty().containsExactlyElementsOf(replaced);
    }

    private static List<String> signatures(Class<?> type) {
        return Stream.of(type.getDeclaredMethods())
                .filter(method -> !Modifier.isPrivate(method.getModifiers()) && !method.isSynthetic())
                .map(method ->
                        method.getReturnType() + " " + method.getName() + Arrays.toString(method.getParameterTypes()))
                .toList();
    }

    @Test
    void everyResourceIsPutIntoTheExecutable() throws IOException {
        var pom = Files.readString(Path.of("pom.xml"));
        var included =
                Pattern.compile("<quarkus.native.resources.includes>(.*)<").matcher(pom);
        assertThat(included.find()).isTrue();
        var globs = Stream.of(included.group(1).split(","))
                .map(glob -> FileSystems.getDefault().getPathMatcher("glob:" + glob))
                .toList();
        var resources = Path.of("src/main/resources");
        try (var files = Files.walk(resources)) {
            assertThat(files.filter(Files::isRegularFile).map(resources::relativize))
                    .isNotEmpty()
                    .allSatisfy(file -> assertThat(globs.stream().anyMatch(glob -> glob.matches(file))
                                    // Flyway's extension adds these, Quarkus keeps the settings and makes calls of
                                    // services; a licence is for people.
                                    || file.startsWith("db/migration")
                                    || file.equals(Path.of("application.properties"))
                                    || file.startsWith("META-INF/services")
                                    || file.endsWith("LICENSE"))
                            .as(file.toString())
                            .isTrue());
        }
    }

    @Test
    void everyArchiveOfPostgresThatAProfileNamesIsThere() throws IOException {
        var archives = Pattern.compile("<native.postgres>(.*)<")
                .matcher(Files.readString(Path.of("pom.xml")))
                .results()
                .map(found -> found.group(1))
                .toList();

        assertThat(archives)
                .hasSize(4)
                .allSatisfy(archive -> assertThat(Main.class.getResource("/" + archive))
                        .as(archive)
                        .isNotNull());
    }

    @Test
    void everyArgumentOfTheBuildIsListed() throws IOException {
        var arguments =
                settings().getProperty("quarkus.native.additional-build-args").split(",");

        assertThat(NativeList.below("Run-time initialisation")).containsExactlyInAnyOrder(arguments);
    }

    /** It reads into a constant, while it is built, whether a request may be one for a web socket. */
    @Test
    void vertxHasNoWebSocketsInAnImageEither() throws IOException {
        assertThat(settings()
                        .getProperty("quarkus.native.additional-build-args")
                        .split(","))
                .contains("-J-Dvertx.disableWebsockets=true");
    }

    /** An executable is built with the profile prod, and `dev` runs with one of its own. */
    @Test
    void devDoesNotWarnOfTheProfileThatItWasBuiltWith() throws IOException {
        var warns = "io.quarkus.runtime.configuration.ConfigRecorder";

        assertThat(settings().getProperty("%dev-command.quarkus.log.category.\"" + warns + "\".level"))
                .isEqualTo("ERROR");
    }

    private static Properties settings() throws IOException {
        var settings = new Properties();
        try (var file = Files.newBufferedReader(Path.of("src/main/resources/application.properties"))) {
            settings.load(file);
        }
        return settings;
    }

    /** The others are covered by extensions of Quarkus, or need nothing. */
    @Test
    void everyLibraryThatBringsSomethingOfItsOwnIsListed() throws IOException {
        var found = new TreeSet<String>();
        for (var manifest : Collections.list(getClass().getClassLoader().getResources("META-INF/MANIFEST.MF"))) {
            if (manifest.openConnection() instanceof JarURLConnection jar
                    && jar.getJarFile().stream()
                            .anyMatch(
                                    entry -> entry.getName().matches("META-INF/native-image/.+\\.(json|properties)"))) {
                var name = Path.of(jar.getJarFile().getName()).getFileName().toString();
                found.add(name.replaceFirst("-\\d.*", "").replaceFirst("^netty-.*", "netty-*"));
            }
        }

        found.removeAll(OF_TESTS);
        assertThat(NativeList.below("What libraries bring themselves")).containsExactlyElementsOf(found);
    }

    private static Set<String> callersOf(Predicate<CodeUnitCallTarget> wanted) {
        var callers = new TreeSet<String>();
        for (var type : MainClasses.ALL) {
            for (JavaCodeUnit unit : type.getCodeUnits()) {
                if (Stream.concat(
                                unit.getCallsFromSelf().stream().map(call -> call.getTarget()),
                                Stream.concat(
                                                unit.getMethodReferencesFromSelf().stream(),
                                                unit.getConstructorReferencesFromSelf().stream())
                                        .map(reference -> reference.getTarget()))
                        .anyMatch(target -> target instanceof CodeUnitCallTarget call && wanted.test(call))) {
                    callers.add(outermost(type));
                }
            }
        }
        return callers;
    }

    private static String outermost(JavaClass type) {
        return type.getName().substring(ROOT.length() + 1).replaceFirst("\\$.*", "");
    }

    private static Stream<CommandLine.Model.CommandSpec> commands() {
        return commands(Main.commandLine(List.of("help")).getCommandSpec());
    }

    private static Stream<CommandLine.Model.CommandSpec> commands(CommandLine.Model.CommandSpec spec) {
        return Stream.concat(
                Stream.of(spec),
                spec.subcommands().values().stream().flatMap(command -> commands(command.getCommandSpec())));
    }

    private static Set<Class<?>> registered() {
        var classes = new TreeSet<Class<?>>(java.util.Comparator.comparing(Class::getName));
        for (var type : MainClasses.ALL) {
            if (type.isAnnotatedWith(RegisterForReflection.class)) {
                var targets =
                        type.getAnnotationOfType(RegisterForReflection.class).targets();
                var isMeant = targets.length == 0
                        && type.getAnnotationOfType(RegisterForReflection.class).classNames().length == 0;
                classes.addAll(isMeant ? List.of(type.reflect()) : List.of(targets));
            }
        }
        return classes;
    }

    /** The classes that a type is made of, without those that only hold others. */
    private static Set<Class<?>> leaves(Type type) {
        var leaves = new HashSet<Class<?>>();
        if (type instanceof ParameterizedType generic) {
            for (var argument : generic.getActualTypeArguments()) {
                leaves.addAll(leaves(argument));
            }
        } else if (type instanceof Class<?> leaf) {
            leaves.add(leaf);
        }
        return leaves;
    }
}
