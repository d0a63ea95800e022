package org.redislocked.example.harness;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Payara is told by a program what to deploy.
 *
 * @param program the beginning of each command line
 * @param environment the variables that the program needs
 * @param output where the program's output goes
 */
record PayaraAdmin(List<String> program, Map<String, String> environment, Path output) implements Deployer {

    private static final int LIMIT_SECONDS = 90;

    @Override
    public boolean deploy(Archive archive) throws IOException, InterruptedException {
        return ran(arguments(archive));
    }

    @Override
    public boolean undeploy(Archive archive) throws IOException, InterruptedException {
        return ran(List.of("undeploy", archive.name()));
    }

    /** {@return the command that deploys it} */
    static List<String> arguments(Archive archive) {
        return archive.fileName().endsWith(".war")
                ? List.of(
                        "deploy",
                        "--name",
                        archive.name(),
                        "--contextroot",
                        archive.name(),
                        archive.file().toString())
                : List.of("deploy", "--name", archive.name(), archive.file().toString());
    }

    private boolean ran(List<String> arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(program);
        command.addAll(arguments);
        var builder = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile());
        builder.environment().putAll(environment);
        Process process = builder.start();
        try {
            return process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS) && process.exitValue() == 0;
        } finally {
            process.destroyForcibly();
        }
    }
}
