package io.taskexec.client;

/**
 * Marks a type of tasks, usually a record. Its fields become the input of a job; its name, in kebab case, is the name
 * of the endpoint: jobs of {@code record SendWelcomeEmail(String to) implements Task} wait for {@code
 * send-welcome-email}. {@link TaskName} gives it another one.
 */
public interface Task {
    /**
     * Returns the name of the endpoint for a type of tasks.
     *
     * @param type the type
     * @return its {@link TaskName}, or its simple name in kebab case
     */
    static String nameOf(Class<?> type) {
        var given = type.getAnnotation(TaskName.class);
        return given != null ? given.value() : TaskNames.kebabCase(type.getSimpleName());
    }
}
