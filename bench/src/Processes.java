import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The processes of the program under test that were started here. */
final class Processes {
    private final Options options;
    private final Workspace workspace;
    private final List<Program> programs = new ArrayList<>();
    private Roles roles = Roles.ALL_IN_ONE;
    private Map<String, String> settings = Map.of();

    Processes(Options options, Workspace workspace) {
        this.options = options;
        this.workspace = workspace;
    }

    List<Program> all() {
        return List.copyOf(programs);
    }

    boolean areIn(Roles wanted) {
        return roles.equals(wanted);
    }

    /** Whether they are what a scenario that asks for nothing else gets. */
    boolean areUsual() {
        return areIn(Roles.ALL_IN_ONE) && settings.isEmpty();
    }

    void start(Roles wanted, Map<String, String> with, Database database) throws IOException, InterruptedException {
        roles = wanted;
        settings = with;
        for (String process : wanted.processes()) {
            programs.add(serve(process, programs.size(), database));
        }
    }

    /** Kills one, as a machine does that fails, and starts it anew. */
    void killAndReplace(int n, Database database) throws IOException, InterruptedException {
        programs.get(n).kill();
        programs.set(n, serve(roles.processes().get(n), n, database));
    }

    void stop() {
        programs.forEach(Program::stop);
        programs.clear();
    }

    private Program serve(String process, int n, Database database) throws IOException, InterruptedException {
        return Program.serve(options, process, database, workspace.directory("program-" + n + ".log"), settings);
    }
}
