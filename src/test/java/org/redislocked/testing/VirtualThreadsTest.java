package org.redislocked.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;

class VirtualThreadsTest {
    @Test
    @Tag(VirtualThreads.TAG)
    void factory_onNewJdk_makesVirtualThreads() throws Exception {
        var description = new CompletableFuture<String>();

        VirtualThreads.factory()
                .newThread(() -> description.complete(Thread.currentThread().toString()))
                .start();

        assertThat(VirtualThreads.available()).isTrue();
        assertThat(description.get()).startsWith("VirtualThread[");
    }

    @Test
    @EnabledForJreRange(max = JRE.JAVA_18)
    void factory_onOldJdk_saysWhatIsMissing() {
        assertThat(VirtualThreads.available()).isFalse();
        assertThatThrownBy(VirtualThreads::factory).hasMessageContaining("JDK 21");
    }
}
