package org.redislocked.example;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.json.Json;
import jakarta.json.JsonArrayBuilder;
import jakarta.json.JsonObject;
import jakarta.json.JsonObjectBuilder;
import jakarta.ws.rs.DefaultValue;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.MediaType;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.redislocked.LockHolder;
import org.redislocked.RedisLocks;

/** The shop over HTTP: what the page and the tests call. */
@ApplicationScoped
@Path("")
@Produces(MediaType.APPLICATION_JSON)
public class ShopResource {

    @Inject
    Stock stock;

    @Inject
    WebTill webTill;

    @Inject
    PhoneDesk phoneDesk;

    @Inject
    Stocktake stocktake;

    @Inject
    NightlyReport report;

    @Inject
    RedisLocks locks;

    @Inject
    @ConfigProperty(name = "shop.node")
    String node;

    @Inject
    @ConfigProperty(name = "shop.nodes")
    Optional<String> nodes;

    /** {@return the figures, and who holds which lock} */
    @GET
    @Path("status")
    public JsonObject status() {
        // Not injected as a list: Payara 6 cannot convert Optional<List<String>>.
        var addresses = Json.createArrayBuilder(
                nodes.map(list -> List.of(list.split(","))).orElse(List.of()));
        JsonObjectBuilder held = Json.createObjectBuilder();
        for (String name : List.of(Locks.STOCK, Locks.STOCKTAKE, Locks.REPORT)) {
            held.add(name, describe(locks.get(name).holder()));
        }
        return Json.createObjectBuilder()
                .add("node", node)
                .add("nodes", addresses)
                .add("stock", stock.left())
                .add("sold", stock.sold())
                .add("oversold", stock.oversold())
                .add("locks", held)
                .build();
    }

    /** Begins a new day. */
    @POST
    @Path("reset")
    public JsonObject reset(@QueryParam("stock") @DefaultValue("20") long pieces) {
        stock.deliver(pieces);
        return status();
    }

    /** Sells one piece under the lock, through a CDI bean. */
    @POST
    @Path("sell/web")
    public JsonObject sellOnTheWeb() {
        return sale(webTill.sell());
    }

    /** Sells one piece under the lock, through a session bean. */
    @POST
    @Path("sell/phone")
    public JsonObject sellByPhone() {
        return sale(phoneDesk.sell());
    }

    /** Sells one piece as the shop would without the lock. */
    @POST
    @Path("sell/unlocked")
    public JsonObject sellUnlocked() {
        return sale(stock.sellOne());
    }

    /** Holds the lock of the stocktake, nested so deep, and so long at each depth. */
    @POST
    @Path("stocktake")
    public JsonObject count(
            @QueryParam("depth") @DefaultValue("2") int depth,
            @QueryParam("millis") @DefaultValue("1000") long millis) {
        int deepest = stocktake.count(depth, Duration.ofMillis(millis));
        return Json.createObjectBuilder()
                .add("node", node)
                .add("holdCount", deepest)
                .build();
    }

    /** {@return the last runs of the report on all nodes} */
    @GET
    @Path("report")
    public JsonObject reportRuns() {
        JsonArrayBuilder runs = Json.createArrayBuilder();
        for (String run : report.runs()) {
            String[] parts = run.split(" ", 3);
            runs.add(Json.createObjectBuilder()
                    .add("begin", Long.parseLong(parts[0]))
                    .add("end", Long.parseLong(parts[1]))
                    .add("node", parts[2]));
        }
        return Json.createObjectBuilder().add("runs", runs).build();
    }

    private JsonObject sale(boolean sold) {
        return Json.createObjectBuilder().add("node", node).add("sold", sold).build();
    }

    private static JsonObjectBuilder describe(Optional<LockHolder> holder) {
        JsonObjectBuilder lock = Json.createObjectBuilder().add("held", holder.isPresent());
        holder.ifPresent(h -> lock.add("by", clientName(h.grantId()))
                .add("holdCount", h.holdCount())
                .add("remainingLeaseMillis", h.remainingLease().toMillis()));
        return lock;
    }

    /** A grant id is {@code <client-name>-<random>:<thread id>:<sequence>}, and the client has the node's name. */
    private static String clientName(String grantId) {
        String client = grantId.substring(0, grantId.indexOf(':'));
        return client.substring(0, client.lastIndexOf('-'));
    }
}
