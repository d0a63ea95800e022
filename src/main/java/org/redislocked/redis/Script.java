package org.redislocked.redis;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Protocol.Command;

/** The Lua scripts beside this class, which change and read locks as one step. */
final class Script {

    static final Script ACQUIRE = new Script("acquire.lua", 2);
    static final Script COUNT = new Script("count.lua", 1);
    static final Script RELEASE = new Script("release.lua", 1);
    static final Script HOLDER = new Script("holder.lua", 2);

    private final byte[] keyCount;
    private final byte[] text;
    private final byte[] sha;

    private Script(String file, int keyCount) {
        this.keyCount = String.valueOf(keyCount).getBytes(StandardCharsets.US_ASCII);
        try (InputStream in = Script.class.getResourceAsStream(file)) {
            if (in == null) {
                throw new IllegalStateException(file + " is missing from the jar of redis-locked");
            }
            text = in.readAllBytes();
            byte[] digest = MessageDigest.getInstance("SHA-1").digest(text);
            sha = HexFormat.of().formatHex(digest).getBytes(StandardCharsets.US_ASCII);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    /** {@return the command that runs the script if Redis still knows it, and else answers NOSCRIPT} */
    CommandArguments bySha(byte[]... keysAndArguments) {
        return command(Command.EVALSHA, sha, keysAndArguments);
    }

    /** {@return the command that runs the script always, and makes Redis know it} */
    CommandArguments byText(byte[]... keysAndArguments) {
        return command(Command.EVAL, text, keysAndArguments);
    }

    private CommandArguments command(Command eval, byte[] script, byte[][] keysAndArguments) {
        CommandArguments command = new CommandArguments(eval).add(script).add(keyCount);
        for (byte[] each : keysAndArguments) {
            command.add(each);
        }
        return command;
    }
}
