package org.redislocked.example.harness;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.jboss.shrinkwrap.api.ShrinkWrap;
import org.jboss.shrinkwrap.api.asset.EmptyAsset;
import org.jboss.shrinkwrap.api.exporter.ZipExporter;
import org.jboss.shrinkwrap.api.spec.EnterpriseArchive;
import org.jboss.shrinkwrap.api.spec.WebArchive;

/** Makes archives of classes of this module, to be deployed. */
public final class Wars {

    private Wars() {}

    /** {@return a WAR with the library and all that it needs, but with no classes yet} */
    public static WebArchive withLibrary(String name) throws IOException {
        WebArchive war = empty(name);
        for (Path jar : libraries()) {
            war.addAsLibrary(jar.toFile());
        }
        return war;
    }

    /** {@return a WAR with nothing but CDI switched on} */
    public static WebArchive empty(String name) {
        return ShrinkWrap.create(WebArchive.class, name + ".war").addAsWebInfResource(EmptyAsset.INSTANCE, "beans.xml");
    }

    /** {@return an EAR with nothing in it} */
    public static EnterpriseArchive ear(String name) {
        return ShrinkWrap.create(EnterpriseArchive.class, name + ".ear");
    }

    /** {@return the library's jar and all that it needs} */
    public static List<Path> libraries() throws IOException {
        try (Stream<Path> jars = Files.list(Settings.existing("libraries"))) {
            return jars.sorted().toList();
        }
    }

    /** {@return the jar from which this class comes} */
    public static Path jarOf(Class<?> type) {
        try {
            return Path.of(
                    type.getProtectionDomain().getCodeSource().getLocation().toURI());
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Writes the archive to a file, and {@return it with the name of the archive without its ending} */
    public static Archive write(org.jboss.shrinkwrap.api.Archive<?> content) throws IOException {
        Path file =
                Files.createDirectories(Settings.nodes().resolve("archives")).resolve(content.getName());
        content.as(ZipExporter.class).exportTo(file.toFile(), true);
        return new Archive(content.getName().replaceFirst("\\.[^.]*$", ""), file);
    }
}
