package org.redislocked.trial.probe;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.json.Json;
import jakarta.json.JsonArrayBuilder;
import jakarta.json.JsonObject;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.MediaType;
import java.lang.management.ManagementFactory;
import java.util.Collection;
import javax.management.JMException;
import javax.management.ObjectName;

/** What is in this JVM. */
@ApplicationScoped
@Path("")
@Produces(MediaType.APPLICATION_JSON)
public class ProbeResource {

    /** {@return the notes so far, each with its time before it} */
    @GET
    @Path("notes")
    public JsonObject notes() {
        return answer(Notebook.WRITTEN);
    }

    /** Tears all notes out. */
    @POST
    @Path("notes/none")
    public JsonObject forgetNotes() {
        Notebook.WRITTEN.clear();
        return notes();
    }

    /** {@return the names of all threads} */
    @GET
    @Path("threads")
    public JsonObject threads() {
        return answer(Thread.getAllStackTraces().keySet().stream()
                .map(Thread::getName)
                .sorted()
                .toList());
    }

    /** {@return the domains of all MBeans} */
    @GET
    @Path("mbeans")
    public JsonObject mbeans() {
        return answer(ManagementFactory.getPlatformMBeanServer().queryNames(null, null).stream()
                .map(ObjectName::getDomain)
                .distinct()
                .toList());
    }

    /** Collects garbage, and {@return the watched class loaders that are left} */
    @POST
    @Path("loaders")
    public JsonObject loaders() {
        System.gc();
        return answer(Notebook.WATCHED.stream()
                .filter(watched -> !watched.loader().refersTo(null))
                .map(Notebook.Watched::what)
                .toList());
    }

    /** Watches no class loader any more. */
    @POST
    @Path("loaders/none")
    public JsonObject forgetLoaders() {
        Notebook.WATCHED.clear();
        return loaders();
    }

    /** Writes all that lives to a file, for the search after who holds a class loader. */
    @POST
    @Path("dump")
    public JsonObject dump(@QueryParam("file") String file) throws JMException {
        // by name: WildFly hides the class from applications
        ManagementFactory.getPlatformMBeanServer()
                .invoke(
                        new ObjectName("com.sun.management:type=HotSpotDiagnostic"),
                        "dumpHeap",
                        new Object[] {file, true},
                        new String[] {"java.lang.String", "boolean"});
        return notes();
    }

    private static JsonObject answer(Collection<String> texts) {
        JsonArrayBuilder array = Json.createArrayBuilder(texts);
        return Json.createObjectBuilder().add("found", array).build();
    }
}
