package org.redislocked.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

/**
 * Certificates for tests, made anew for each JVM by the JDK's {@code keytool}: an authority, a server certificate that is
 * valid for {@code localhost} and 127.0.0.1, another of the same authority for a wrong host, and a trust store for clients.
 */
public final class TestCertificates {
    private static final char[] PASSWORD = "changeit".toCharArray();

    private final Path directory = TemporaryFiles.directory("test-certificates-");
    private final Identity server;
    private final Identity wrongHost;
    private final Path trustStore = directory.resolve("trust.p12");

    /** Who a server says it is, as PEM files: certificate, private key, and the authority that signed it. */
    public record Identity(Path certificate, Path privateKey, Path authority) {}

    private TestCertificates() throws GeneralSecurityException, IOException {
        generate("ca", "CN=Test authority", "-ext", "bc:c=ca:true");
        generate("server", "CN=localhost", "-signer", "ca", "-ext", "san=dns:localhost,ip:127.0.0.1");
        generate("wrong-host", "CN=wrong.example", "-signer", "ca", "-ext", "san=dns:wrong.example");

        var keys = KeyStore.getInstance(keyStore().toFile(), PASSWORD);
        var authority =
                writePem("ca.crt", "CERTIFICATE", keys.getCertificate("ca").getEncoded());
        server = writeIdentity(keys, "server", authority);
        wrongHost = writeIdentity(keys, "wrong-host", authority);
        writeTrustStore(keys);
    }

    private static final class Shared {
        static final TestCertificates INSTANCE = create();

        private static TestCertificates create() {
            try {
                return new TestCertificates();
            } catch (GeneralSecurityException e) {
                throw new IllegalStateException(e);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    /** The certificates of this JVM, made by the first call. */
    public static TestCertificates shared() {
        return Shared.INSTANCE;
    }

    public Identity server() {
        return server;
    }

    /** Signed by the same authority, but valid for {@code wrong.example} only. */
    public Identity wrongHost() {
        return wrongHost;
    }

    /** A PKCS12 key store that trusts the authority. */
    public Path trustStore() {
        return trustStore;
    }

    public String trustStorePassword() {
        return new String(PASSWORD);
    }

    private Path keyStore() {
        return directory.resolve("keys.p12");
    }

    private void generate(String alias, String name, String... more) throws IOException {
        var command = new ArrayList<String>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
        command.addAll(List.of("-genkeypair", "-alias", alias, "-dname", name, "-validity", "2"));
        command.addAll(List.of("-keyalg", "EC", "-groupname", "secp256r1"));
        command.addAll(List.of("-keystore", keyStore().toString(), "-storetype", "PKCS12"));
        command.addAll(List.of("-storepass", new String(PASSWORD)));
        command.addAll(List.of(more));
        var keytool = new ProcessBuilder(command).redirectErrorStream(true).start();
        var output = new String(keytool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (!Files.exists(keyStore()) || output.contains("Exception")) {
            throw new IOException(String.join(" ", command) + "\n" + output);
        }
    }

    private Identity writeIdentity(KeyStore keys, String alias, Path authority)
            throws GeneralSecurityException, IOException {
        var certificate = keys.getCertificate(alias).getEncoded();
        var privateKey = keys.getKey(alias, PASSWORD).getEncoded();
        return new Identity(
                writePem(alias + ".crt", "CERTIFICATE", certificate),
                writePem(alias + ".key", "PRIVATE KEY", privateKey),
                authority);
    }

    private Path writePem(String file, String type, byte[] content) throws IOException {
        var base64 = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(content);
        var pem = "-----BEGIN " + type + "-----\n" + base64 + "\n-----END " + type + "-----\n";
        return Files.writeString(directory.resolve(file), pem);
    }

    private void writeTrustStore(KeyStore keys) throws GeneralSecurityException, IOException {
        var trust = KeyStore.getInstance("PKCS12");
        trust.load(null, PASSWORD);
        trust.setCertificateEntry("ca", keys.getCertificate("ca"));
        try (var out = Files.newOutputStream(trustStore)) {
            trust.store(out, PASSWORD);
        }
    }
}
