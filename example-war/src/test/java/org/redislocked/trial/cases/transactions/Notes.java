package org.redislocked.trial.cases.transactions;

import jakarta.enterprise.context.ApplicationScoped;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** What was seen where a case itself cannot look. */
@ApplicationScoped
public class Notes {

    private final List<String> notes = new CopyOnWriteArrayList<>();

    public void add(String note) {
        notes.add(note);
    }

    /** {@return what was noted since the last time} */
    public List<String> take() {
        List<String> taken = List.copyOf(notes);
        notes.clear();
        return taken;
    }
}
