package io.taskexec;

import com.tngtech.archunit.core.domain.AccessTarget.CodeUnitCallTarget;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/** The classes of the program, as they are in its jar. */
public final class MainClasses {
    static final String ROOT = "io.taskexec";

    public static final JavaClasses ALL = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            // A class path that was not made by Maven.
            .withImportOption(location -> !location.contains("/test/"))
            .importPackages(ROOT);

    private MainClasses() {}

    /** Whether a call is one of a method with such a name of this class, or of one that extends it. */
    static Predicate<CodeUnitCallTarget> calls(Class<?> owner, String names) {
        var name = Pattern.compile(names);
        return target -> target.getOwner().isAssignableTo(owner)
                && name.matcher(target.getName()).matches();
    }
}
