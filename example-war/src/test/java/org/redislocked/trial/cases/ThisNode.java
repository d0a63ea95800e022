package org.redislocked.trial.cases;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.json.Json;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.io.StringReader;
import java.net.CookieManager;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;

/** The node that a case runs on, for further requests: one has come to its end when it is answered, or soon after. */
@ApplicationScoped
public class ThisNode {

    @Inject
    HttpServletRequest request;

    /** {@return a caller with a session of its own} */
    public Caller caller() {
        return new Caller(
                URI.create("http://127.0.0.1:" + request.getLocalPort() + request.getContextPath() + "/cases/"),
                HttpClient.newBuilder()
                        .version(HttpClient.Version.HTTP_1_1)
                        .cookieHandler(new CookieManager())
                        .build());
    }

    /**
     * One who sends requests.
     *
     * @param cases where
     * @param client by what
     */
    public record Caller(URI cases, HttpClient client) {

        /** Runs a public method without parameters of a class with cases in a request, and {@return its result as text} */
        public String run(Class<?> bean, String method) throws IOException, InterruptedException {
            HttpRequest request = HttpRequest.newBuilder(cases.resolve(bean.getSimpleName() + '/' + method))
                    .timeout(Duration.ofSeconds(30))
                    .POST(BodyPublishers.noBody())
                    .build();
            var response = client.send(request, BodyHandlers.ofString());
            if (response.statusCode() == 200) {
                try (var reader = Json.createReader(new StringReader(response.body()))) {
                    var answer = reader.readObject();
                    if (answer.getString("outcome").equals("passed")) {
                        return answer.getString("result");
                    }
                }
            }
            throw new AssertionError(request + " answered " + response.statusCode() + ": " + response.body());
        }
    }
}
