package org.redislocked.trial.probe;

import jakarta.annotation.Resource;
import jakarta.enterprise.concurrent.ManagedScheduledExecutorService;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.json.Json;
import jakarta.json.JsonObject;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.MediaType;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** What another application does with the server's scheduler. */
@ApplicationScoped
@Path("scheduler")
@Produces(MediaType.APPLICATION_JSON)
public class SchedulerResource {

    private static final int TASKS = 32;

    @Resource
    ManagedScheduledExecutorService scheduler;

    private final AtomicLong lastBeatNanos = new AtomicLong();
    private final AtomicLong longestNanos = new AtomicLong();
    private Future<?> beats;

    /** Occupies all threads that the scheduler has, unless it makes as many as are wanted. */
    @POST
    @Path("occupied")
    public JsonObject occupy(@QueryParam("millis") long millis) {
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        for (int task = 0; task < TASKS; task++) {
            scheduler.submit(() -> {
                TimeUnit.NANOSECONDS.sleep(end - System.nanoTime());
                return null;
            });
        }
        return answer();
    }

    /** Begins a task that is due many times a second. */
    @POST
    @Path("beats")
    public JsonObject beginBeats() {
        longestNanos.set(0);
        lastBeatNanos.set(System.nanoTime());
        beats = scheduler.scheduleAtFixedRate(this::beat, 0, 50, TimeUnit.MILLISECONDS);
        return answer();
    }

    /** Ends it, and {@return the longest time between two beats} */
    @POST
    @Path("beats/none")
    public JsonObject endBeats() {
        beats.cancel(false);
        beat();
        return answer();
    }

    private void beat() {
        long now = System.nanoTime();
        long pause = now - lastBeatNanos.getAndSet(now);
        longestNanos.accumulateAndGet(pause, Math::max);
    }

    private JsonObject answer() {
        return Json.createObjectBuilder()
                .add("longestMillis", TimeUnit.NANOSECONDS.toMillis(longestNanos.get()))
                .build();
    }
}
