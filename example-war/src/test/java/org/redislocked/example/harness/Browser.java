package org.redislocked.example.harness;

import jakarta.json.Json;
import jakarta.json.JsonObject;
import jakarta.json.JsonObjectBuilder;
import jakarta.json.JsonValue;
import java.io.File;
import java.io.IOException;
import java.io.StringReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A page in a headless Chromium, driven by chromedriver.
 *
 * @see <a href="https://www.w3.org/TR/webdriver2/">WebDriver</a>
 */
public final class Browser implements AutoCloseable {

    private static final Duration TIMEOUT = Duration.ofSeconds(60);
    private static final Pattern STARTED = Pattern.compile("started successfully on port (\\d+)");

    private static final List<String> FLAGS = List.of(
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-quic",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--window-size=1280,1040");

    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final Process driver;
    private final URI session;

    private Browser(Process driver, int port) throws IOException {
        this.driver = driver;
        Path profile = Files.createTempDirectory(Files.createDirectories(Settings.nodes()), "chromium-");
        var flags = Json.createArrayBuilder(FLAGS).add("--user-data-dir=" + profile);
        var options = Json.createObjectBuilder()
                .add("binary", chromium().orElseThrow().toString())
                .add("args", flags);
        var capabilities = Json.createObjectBuilder()
                .add("alwaysMatch", Json.createObjectBuilder().add("goog:chromeOptions", options));
        URI sessions = URI.create("http://localhost:" + port + "/session");
        JsonObject answer = send(
                HttpRequest.newBuilder(sessions),
                Json.createObjectBuilder().add("capabilities", capabilities).build());
        session = URI.create(sessions + "/" + answer.getJsonObject("value").getString("sessionId") + "/");
    }

    /** {@return whether Chromium and its driver are on the PATH} */
    public static boolean isInstalled() {
        return chromium().isPresent() && find("chromedriver").isPresent();
    }

    /** Starts a browser and opens the page in it. */
    public static Browser open(URI page) throws IOException {
        Files.createDirectories(Settings.nodes());
        Path log = Settings.nodes().resolve("chromedriver.log");
        Process driver = new ProcessBuilder(find("chromedriver").orElseThrow().toString(), "--port=0")
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        Thread atExit = new Thread(() -> end(driver), "stop-browser");
        Runtime.getRuntime().addShutdownHook(atExit);
        try {
            var browser = new Browser(driver, port(driver, log));
            browser.command("url", Json.createObjectBuilder().add("url", page.toString()));
            return browser;
        } catch (IOException | RuntimeException e) {
            end(driver);
            throw e;
        }
    }

    /** Clicks on the element with this id. */
    public void click(String id) {
        run("document.getElementById('" + id + "').click(); return null");
    }

    /** {@return what a person reads in the element with this id} */
    public String text(String id) {
        return Json.createArrayBuilder()
                .add(run("return document.getElementById('" + id + "').innerText"))
                .build()
                .getString(0);
    }

    /** {@return how many elements match} */
    public int count(String selector) {
        return Integer.parseInt(run("return document.querySelectorAll('" + selector + "').length")
                .toString());
    }

    /** Saves what the window shows beside the nodes' files. */
    public void screenshot(String fileName) throws IOException {
        String png = send(HttpRequest.newBuilder(session.resolve("screenshot")), null)
                .getString("value");
        Files.write(Settings.nodes().resolve(fileName), Base64.getDecoder().decode(png));
    }

    /** Closes the browser. */
    @Override
    public void close() {
        end(driver);
    }

    private JsonValue run(String script) {
        var body = Json.createObjectBuilder().add("script", script).add("args", JsonValue.EMPTY_JSON_ARRAY);
        return command("execute/sync", body).get("value");
    }

    private JsonObject command(String name, JsonObjectBuilder body) {
        return send(HttpRequest.newBuilder(session.resolve(name)), body.build());
    }

    private JsonObject send(HttpRequest.Builder request, JsonObject body) {
        if (body != null) {
            request.POST(BodyPublishers.ofString(body.toString()));
        }
        try {
            var response = http.send(request.timeout(TIMEOUT).build(), BodyHandlers.ofString());
            try (var reader = Json.createReader(new StringReader(response.body()))) {
                JsonObject answer = reader.readObject();
                if (response.statusCode() != 200) {
                    throw new IllegalStateException("chromedriver answered " + answer);
                }
                return answer;
            }
        } catch (IOException e) {
            throw new IllegalStateException("chromedriver does not answer", e);
        } catch (InterruptedException e) {
            throw new IllegalStateException("Interrupted while talking to chromedriver", e);
        }
    }

    private static int port(Process driver, Path log) throws IOException {
        long deadline = System.nanoTime() + TIMEOUT.toNanos();
        while (System.nanoTime() < deadline && driver.isAlive()) {
            Matcher matcher = STARTED.matcher(Files.readString(log));
            if (matcher.find()) {
                return Integer.parseInt(matcher.group(1));
            }
            try {
                Thread.sleep(50);
            } catch (InterruptedException e) {
                throw new IllegalStateException("Interrupted while chromedriver starts", e);
            }
        }
        throw new IllegalStateException("chromedriver did not start: " + Files.readString(log));
    }

    private static Optional<Path> chromium() {
        return Stream.of("chromium", "chromium-browser", "google-chrome")
                .flatMap(name -> find(name).stream())
                .findFirst();
    }

    private static Optional<Path> find(String program) {
        return Arrays.stream(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator))
                .map(directory -> Path.of(directory, program))
                .filter(Files::isExecutable)
                .findFirst();
    }

    /** The driver first, so that it starts nothing new; then the browser's processes. */
    private static void end(Process driver) {
        List<ProcessHandle> browser = driver.descendants().toList();
        driver.destroy();
        browser.forEach(ProcessHandle::destroy);
    }
}
