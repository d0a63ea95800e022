package org.redislocked.redis;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/**
 * Whom to trust and who we are, over TLS.
 *
 * @param trustStore null for the certification authorities that the JVM trusts
 * @param keyStore null for no client certificate
 * @param verifyHostName whether the certificate must be for the host we connect to
 */
record TlsSettings(@Nullable Store trustStore, @Nullable Store keyStore, boolean verifyHostName) {

    static final TlsSettings DEFAULT = new TlsSettings(null, null, true);

    /** A PKCS #12 or JKS file. */
    record Store(Path file, @Nullable String password) {

        private char @Nullable [] characters() {
            return password == null ? null : password.toCharArray();
        }

        @Override
        public String toString() {
            return file.toString();
        }
    }

    boolean isConfigured() {
        return trustStore != null || keyStore != null || !verifyHostName;
    }

    /** Reads the files, so that a missing one is an error at the start and not at the first lock. */
    SSLSocketFactory socketFactory() {
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(keyManagers(), trustManagers(), null);
            return context.getSocketFactory();
        } catch (GeneralSecurityException e) {
            throw new IllegalArgumentException("tls.key-store: its key cannot be read: " + e.getMessage(), e);
        }
    }

    SSLParameters parameters() {
        SSLParameters parameters = new SSLParameters();
        parameters.setEndpointIdentificationAlgorithm(verifyHostName ? "HTTPS" : "");
        return parameters;
    }

    private KeyManager @Nullable [] keyManagers() throws GeneralSecurityException {
        if (keyStore == null) {
            return null;
        }
        KeyManagerFactory factory = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        factory.init(load("tls.key-store", keyStore), keyStore.characters());
        return factory.getKeyManagers();
    }

    private TrustManager @Nullable [] trustManagers() throws GeneralSecurityException {
        if (trustStore == null) {
            return null;
        }
        TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        factory.init(load("tls.trust-store", trustStore));
        return factory.getTrustManagers();
    }

    private static KeyStore load(String key, Store store) {
        if (!Files.isReadable(store.file())) {
            throw new IllegalArgumentException(
                    key + ": there is no readable file " + store.file().toAbsolutePath());
        }
        try {
            KeyStore keys = KeyStore.getInstance(store.file().toFile(), store.characters());
            if (keys.size() == 0) {
                throw new IllegalArgumentException(
                        key + ": nothing can be read from " + store.file() + "; is " + key + "-password set?");
            }
            return keys;
        } catch (IOException | GeneralSecurityException e) {
            throw new IllegalArgumentException(
                    key + ": " + store.file() + " cannot be read; it must be PKCS #12 or JKS, and " + key
                            + "-password must be its password: " + e.getMessage(),
                    e);
        }
    }
}
