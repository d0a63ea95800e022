package org.redislocked.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JavaProcessTest {
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    @Test
    void start_withArgumentsOptionsAndPath_runsTheMainClassWithThem(@TempDir Path inFront) throws IOException {
        Files.writeString(inFront.resolve("in-front.txt"), "seen");
        var options = List.of("-Doption=given");
        try (var echo = JavaProcess.start(List.of(inFront), options, Echo.class, "one", "two words")) {
            assertThat(echo.readLine(PATIENCE)).isEqualTo("[one, two words] given seen");
        }
    }

    @Test
    void writeLine_toRunningProcess_isReadByIt() {
        try (var echo = JavaProcess.start(Echo.class)) {
            echo.readLine(PATIENCE);
            echo.writeLine("hello");

            assertThat(echo.readLine(PATIENCE)).isEqualTo("hello");
            echo.writeLine("exit");
            assertThat(echo.awaitExit(PATIENCE)).isEqualTo(7);
            assertThatThrownBy(() -> echo.readLine(PATIENCE)).hasMessageContaining("exit value 7");
        }
    }

    @Test
    void readLine_fromSuspendedProcess_failsInTimeAndSucceedsWhenItGoesOn() {
        try (var echo = JavaProcess.start(Echo.class)) {
            echo.readLine(PATIENCE);
            echo.suspend();
            echo.writeLine("hello");

            assertThatThrownBy(() -> echo.readLine(Duration.ofMillis(300)))
                    .hasMessageContaining("no line")
                    .hasMessageContaining("said at start");
            echo.resume();
            assertThat(echo.readLine(PATIENCE)).isEqualTo("hello");
        }
    }

    @Test
    void close_ofSuspendedProcess_endsIt() {
        var echo = JavaProcess.start(Echo.class);
        echo.readLine(PATIENCE);
        echo.suspend();

        echo.close();

        assertThat(echo.isAlive()).isFalse();
    }

    @Test
    void process_whoseParentIsKilled_endsByItself() throws Exception {
        try (var parent = JavaProcess.start(Parent.class)) {
            var child = ProcessHandle.of(Long.parseLong(parent.readLine(PATIENCE)))
                    .orElseThrow();

            parent.kill();

            child.onExit().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        }
    }

    static final class Echo {
        private Echo() {}

        public static void main(String[] arguments) throws IOException {
            System.err.println("said at start");
            var resource = Echo.class.getResourceAsStream("/in-front.txt");
            System.out.println(List.of(arguments) + " " + System.getProperty("option") + " "
                    + (resource == null ? "none" : new String(resource.readAllBytes(), StandardCharsets.UTF_8)));
            var input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
            for (var line = input.readLine(); !"exit".equals(line); line = input.readLine()) {
                System.out.println(line);
            }
            System.exit(7);
        }
    }

    static final class Parent {
        private Parent() {}

        public static void main(String[] arguments) throws InterruptedException {
            var child = JavaProcess.start(Sleeper.class);
            child.readLine(PATIENCE);
            System.out.println(child.pid());
            Thread.sleep(PATIENCE.toMillis());
        }
    }

    /** Never looks at its input. */
    static final class Sleeper {
        private Sleeper() {}

        public static void main(String[] arguments) throws InterruptedException {
            System.out.println("asleep");
            Thread.sleep(2 * PATIENCE.toMillis());
        }
    }
}
