package org.redislocked.example;

import jakarta.ejb.Stateless;
import jakarta.inject.Inject;
import org.redislocked.RedisLocked;

/** Sells under the same lock as {@link WebTill}: a session bean with an annotation. */
@Stateless
public class PhoneDesk {

    @Inject
    Stock stock;

    /** {@return whether there was a piece left for this customer} */
    @RedisLocked(Locks.STOCK)
    public boolean sell() {
        return stock.sellOne();
    }
}
