package io.taskexec.examples.cloudillo;

import io.taskexec.examples.cloudillo.federation.Jwk;
import io.taskexec.examples.cloudillo.federation.Remote;
import io.taskexec.examples.cloudillo.image.Images;
import io.taskexec.examples.cloudillo.store.Blobs;
import io.taskexec.examples.cloudillo.store.Records;
import java.time.Clock;

/**
 * All that the tasks of an instance share.
 *
 * @param identity its domain name
 * @param key that it signs with
 * @param blobs contents of files
 * @param records what is known about files and actions
 * @param images makes variants
 * @param remote asks other instances
 * @param clock for the times of tokens
 */
public record Site(String identity, Jwk key, Blobs blobs, Records records, Images images, Remote remote, Clock clock) {
    /** The largest file that is taken from the owner or from others. */
    public static final long MAX_FILE_BYTES = 64L << 20;
}
