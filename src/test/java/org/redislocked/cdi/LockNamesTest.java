package org.redislocked.cdi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class LockNamesTest {
    private final LockNames names = new LockNames(
            new FixedValues(Map.of("shop.name", " north ", "trap", "${shop.name}", "empty", "", "no.such.key", "\\x")));

    @Test
    void name_literal_staysAsItIs() {
        assertThat(names.resolve("order {1} $x }")).isEqualTo("order {1} $x }");
    }

    @Test
    void key_configured_isReplacedAndTrimmed() {
        assertThat(names.resolve("a-${shop.name}-${shop.name}")).isEqualTo("a-north-north");
    }

    @Test
    void value_withExpression_isNotResolvedAgain() {
        assertThat(names.resolve("${trap}")).isEqualTo("${shop.name}");
    }

    @Test
    void default_ifKeyIsMissingOrEmpty_isUsed() {
        assertThat(names.resolve("${x:a:b}/${empty:c}")).isEqualTo("a:b/c");
    }

    @Test
    void key_missing_isRefused() {
        assertThatThrownBy(() -> names.resolve("${x}"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("set x, or give a default: ${x:default}");
    }

    @Test
    void key_changedLater_keepsTheValueOfItsFirstUse() {
        Map<String, String> config = new HashMap<>(Map.of("shop.name", "north"));
        LockNames changing = new LockNames(new FixedValues(config));
        changing.resolve("a-${shop.name}");

        config.put("shop.name", "south");

        assertThat(changing.resolve("a-${shop.name}")).isEqualTo("a-north");
    }

    @Test
    void expression_insideAnother_isRefused() {
        assertThatThrownBy(() -> names.resolve("${a.b:${c.d}}"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("'${a.b:${c.d}}' has a ${ inside another, which is not supported; use one key, or close the"
                        + " first with }");
    }
}
