package org.redislocked.cdi;

import jakarta.enterprise.util.AnnotationLiteral;
import java.util.concurrent.TimeUnit;
import org.redislocked.RedisLocked;

/** {@code @RedisLocked} with its defaults, added where there is none in the source. */
final class RedisLockedLiteral extends AnnotationLiteral<RedisLocked> implements RedisLocked {
    private static final long serialVersionUID = 1L;

    @Override
    public String value() {
        return "";
    }

    @Override
    public long accessTimeout() {
        return DEFAULT;
    }

    @Override
    public TimeUnit unit() {
        return TimeUnit.SECONDS;
    }

    @Override
    public long leaseTime() {
        return RENEWED;
    }

    @Override
    public TimeUnit leaseTimeUnit() {
        return TimeUnit.SECONDS;
    }

    @Override
    public long minHoldTime() {
        return 0;
    }

    @Override
    public TimeUnit minHoldTimeUnit() {
        return TimeUnit.SECONDS;
    }

    @Override
    public Busy onBusy() {
        return Busy.THROW;
    }
}
