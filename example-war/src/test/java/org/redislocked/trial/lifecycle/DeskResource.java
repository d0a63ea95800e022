package org.redislocked.trial.lifecycle;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.json.Json;
import jakarta.json.JsonObject;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.NotFoundException;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.MediaType;
import java.util.concurrent.TimeUnit;
import org.redislocked.LockName;
import org.redislocked.ReentrantRedisLock;

/** Requests that hold the lock or wait for it, and leave a note of what they saw, since nobody may get their answer. */
@ApplicationScoped
@Path("")
@Produces(MediaType.APPLICATION_JSON)
public class DeskResource {

    @Inject
    Desk desk;

    @Inject
    @LockName(Desk.LOCK)
    ReentrantRedisLock lock;

    /** Lets the probe watch the class loaders of this application and of the library. */
    @POST
    @Path("watch")
    public JsonObject watch() {
        Notebook.watch("application", getClass().getClassLoader());
        Notebook.watch("library", ReentrantRedisLock.class.getClassLoader());
        return done();
    }

    /** {@return whether the lock was free; it is released at once} */
    @GET
    @Path("free")
    public JsonObject free() {
        boolean locked = lock.tryLock();
        if (locked) {
            lock.unlock();
        }
        return Json.createObjectBuilder().add("free", locked).build();
    }

    /** Does the same in a thread of its own: the server does not wait for that before it ends an application. */
    @POST
    @Path("thread/{what}")
    public JsonObject inThread(@PathParam("what") String what, @QueryParam("millis") long millis) {
        new Thread(() -> take(what, millis), "desk-" + what).start();
        return done();
    }

    /** Owns the lock or waits for it, in the thread of the request. */
    @POST
    @Path("request/{what}")
    public JsonObject inRequest(@PathParam("what") String what, @QueryParam("millis") long millis) {
        take(what, millis);
        return done();
    }

    private void take(String what, long millis) {
        switch (what) {
            case "owner" -> own(millis);
            case "injected" ->
                await(what, () -> {
                    lock.lock();
                    lock.unlock();
                });
            case "bounded" ->
                await(what, () -> {
                    if (lock.tryLock(60, TimeUnit.SECONDS)) {
                        lock.unlock();
                    }
                });
            case "declared" -> await(what, () -> desk.whileLocked(() -> {}));
            default -> throw new NotFoundException(what);
        }
    }

    /** Holds the lock for so long, and then enters it again. */
    private void own(long millis) {
        try {
            desk.whileLocked(() -> {
                Notebook.write("owner: works");
                sleep(millis);
                Notebook.write("owner: held=" + lock.isHeldByCurrentThread());
                lock.lock();
                lock.unlock();
            });
            Notebook.write("owner: done");
        } catch (Throwable t) { // after the end of the application, classes may be missing
            Notebook.write("owner: " + t);
        }
    }

    private interface Wait {
        void run() throws InterruptedException;
    }

    private static void await(String waiter, Wait wait) {
        Notebook.write(waiter + ": waits");
        try {
            wait.run();
            Notebook.write(waiter + ": got it");
        } catch (Throwable t) {
            Notebook.write(waiter + ": " + t);
        }
    }

    private static void sleep(long millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            Notebook.write("owner: interrupted");
            Thread.currentThread().interrupt();
        }
    }

    private static JsonObject done() {
        return Json.createObjectBuilder().add("done", true).build();
    }
}
