package org.redislocked.cdi;

import java.lang.reflect.Executable;
import java.lang.reflect.Member;
import java.util.Arrays;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** All that is wrong with an application, told at once: each problem with its place and its remedy. */
final class Problems {

    /** Sorted, so that what belongs together stands together, and the same application gives the same text. */
    private final Set<String> found = new TreeSet<>();

    /**
     * Notes a problem.
     *
     * @param place where it is: a member of a class, or a configuration key
     * @param problem what is wrong and what to do
     */
    void add(String place, String problem) {
        add(place + ": " + problem);
    }

    /** Notes a problem that names its place itself. */
    void add(String problem) {
        found.add(problem);
    }

    /** {@return the text of all problems that were not yet reported; empty if there is none} */
    Optional<String> report() {
        if (found.isEmpty()) {
            return Optional.empty();
        }
        String head = found.size() == 1
                ? "redis-locked found a problem in this application:"
                : "redis-locked found " + found.size() + " problems in this application:";
        String text = found.stream().map(problem -> "\n  - " + problem).collect(Collectors.joining("", head, ""));
        found.clear();
        return Optional.of(text);
    }

    /** {@return how a member is called in a message: {@code com.acme.Shop.pay(Order)}} */
    static String place(Class<?> beanClass, Member member) {
        Class<?> declaring = member.getDeclaringClass();
        String name = declaring.getName() + "." + member.getName();
        if (member instanceof Executable executable) {
            name = (executable.getName().equals(declaring.getName()) ? declaring.getName() : name)
                    + Arrays.stream(executable.getParameterTypes())
                            .map(Class::getSimpleName)
                            .collect(Collectors.joining(", ", "(", ")"));
        }
        return declaring == beanClass ? name : name + " in bean " + beanClass.getName();
    }
}
