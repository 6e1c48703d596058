import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** The roles of each process that taskexec runs as. */
record Roles(List<String> processes) {
    static final Roles ALL_IN_ONE = new Roles(List.of("api,worker,scheduler"));

    static Roles apiAndWorkers(int workers) {
        var processes = new ArrayList<>(List.of("api,scheduler"));
        processes.addAll(Collections.nCopies(workers, "worker"));
        return new Roles(List.copyOf(processes));
    }
}
