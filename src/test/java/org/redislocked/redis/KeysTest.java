package org.redislocked.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import redis.clients.jedis.util.JedisClusterCRC16;

class KeysTest {

    @ParameterizedTest
    @CsvSource({
        "order,     lock:order,        lock:~fence:{lock:order}",
        "a{b}c,     lock:a{b}c,        lock:~fence:a{b}c",
        "a{}{b},    lock:a%7B%7D%7Bb%7D, lock:~fence:{lock:a%7B%7D%7Bb%7D}",
        "a}b{,      lock:a%7Db%7B,     lock:~fence:{lock:a%7Db%7B}",
        "100%,      lock:100%25,       lock:~fence:{lock:100%25}",
        "%7B{x},    lock:%257B{x},     lock:~fence:%257B{x}",
    })
    void names_ofAllKinds_haveTheseKeys(String name, String lock, String fence) {
        Keys keys = new Keys("lock:");

        assertThat(keys.lock(name)).isEqualTo(lock);
        assertThat(keys.fence(lock)).isEqualTo(fence);
        assertThat(keys.channel(lock)).isEqualTo(fence.replace("~fence:", "~channel:"));
    }

    @Test
    void prefix_withHashTag_bringsAllToOneSlot() {
        Keys keys = new Keys("{shop}:");

        assertThat(keys.lock("a}{b")).isEqualTo("{shop}:a}{b");
        assertThat(keys.fence(keys.lock("a}{b"))).isEqualTo("{shop}:~fence:a}{b");
        assertThat(slot(keys.lock("a"))).isEqualTo(slot(keys.lock("b"))).isEqualTo(slot("shop"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "{", "}", "{}", "a{}b", "}{", "{a}{b}", "{{a}", "{a}}"})
    void prefix_withOtherBracesOrEmpty_isRefused(String prefix) {
        assertThatThrownBy(() -> new Keys(prefix))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("key-prefix: ");
    }

    @Test
    void keys_ofRandomNames_areDifferentUnderThePrefixAndInOneSlot() {
        Random random = new Random(20261121);
        for (String prefix : List.of("p:", "{tag}:", "p%7B")) {
            Keys keys = new Keys(prefix);
            Map<String, String> nameOf = new HashMap<>();
            for (int i = 0; i < 20_000; i++) {
                String name = randomName(random);
                String lock = keys.lock(name);

                assertThat(nameOf.merge(lock, name, (one, other) -> other)).isEqualTo(name);
                assertThat(nameOf.put(lock, name)).isEqualTo(name);
                for (String key : List.of(lock, keys.fence(lock), keys.channel(lock))) {
                    assertThat(key).startsWith(prefix);
                    assertThat(slot(key)).as("slot of %s and %s", key, lock).isEqualTo(slot(lock));
                }
            }
        }
    }

    /** Short and of few characters, so that names meet if they can. */
    private static String randomName(Random random) {
        String characters = "{}%7BDa";
        StringBuilder name = new StringBuilder();
        for (int length = 1 + random.nextInt(8); length > 0; length--) {
            name.append(characters.charAt(random.nextInt(characters.length())));
        }
        return name.toString();
    }

    private static int slot(String key) {
        return JedisClusterCRC16.getSlot(key);
    }
}
