package org.redislocked.example;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import org.redislocked.RedisLocked;

/** Sells under the lock: a CDI bean with an annotation. */
@ApplicationScoped
public class WebTill {

    @Inject
    Stock stock;

    /** {@return whether there was a piece left for this customer} */
    @RedisLocked(Locks.STOCK)
    public boolean sell() {
        return stock.sellOne();
    }
}
