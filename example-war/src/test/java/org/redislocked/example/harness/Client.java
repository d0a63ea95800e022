package org.redislocked.example.harness;

import jakarta.json.Json;
import jakarta.json.JsonObject;
import java.io.IOException;
import java.io.StringReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/** Calls an application on one node. */
public final class Client {

    private static final Duration TIMEOUT = Duration.ofSeconds(90);

    private static final HttpClient HTTP = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(Duration.ofSeconds(5))
            .build();

    private final URI application;

    Client(URI application) {
        this.application = application;
    }

    /** {@return whether GET is answered with status 200} */
    boolean answers(String path) throws InterruptedException {
        try {
            HttpRequest request = request(path).timeout(Duration.ofSeconds(2)).build();
            return HTTP.send(request, BodyHandlers.discarding()).statusCode() == 200;
        } catch (IOException e) {
            return false;
        }
    }

    /** {@return the answer to GET} */
    public JsonObject get(String path) {
        return send(request(path).GET()).join();
    }

    /** {@return the answer to POST} */
    public JsonObject post(String path) {
        return postAsync(path).join();
    }

    /** {@return the answer to POST, when it comes} */
    public CompletableFuture<JsonObject> postAsync(String path) {
        return send(request(path).POST(BodyPublishers.noBody()));
    }

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(application.resolve(path)).timeout(TIMEOUT);
    }

    private static CompletableFuture<JsonObject> send(HttpRequest.Builder request) {
        return HTTP.sendAsync(request.build(), BodyHandlers.ofString()).thenApply(Client::parse);
    }

    private static JsonObject parse(HttpResponse<String> response) {
        if (response.statusCode() != 200) {
            throw new CompletionException(
                    new IOException(response.uri() + " answered " + response.statusCode() + ": " + response.body()));
        }
        try (var reader = Json.createReader(new StringReader(response.body()))) {
            return reader.readObject();
        }
    }
}
