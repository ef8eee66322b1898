/*
 * s3.h - objects in an S3 bucket: a backend of object.h
 *
 * The key of an object is the prefix of the store, "/" and the name. Callers use
 * a name once: what was removed or replaced may still be read by others for a
 * while, and a late removal must not hit new content. These promises of
 * object.h are kept in another way, or not (decision 039):
 *
 *   publish   without `replace` looks before it writes. Two processes that
 *             publish the same name at once both succeed, and one content
 *             stays: there is no conditional request that all stores have.
 *             With `replace` it is one request, the way for names used once.
 *   open      reads the first mebibyte in the same request. A larger object that
 *             is replaced or removed while it is open fails to be read on with
 *             QUIRE_CHANGED; it never mixes two contents.
 *   touch     QUIRE_INVALID. A bucket has only the time of writing. Callers
 *             keep the time an object was last seen in a row.
 *   remove    looks first: the store does not say what was there.
 *   settle, sync, begin, commit   do nothing: publish is durable on return.
 *   rollback  removes what was published in the batch without `replace`, as far
 *             as the store can be reached.
 *   modified_ns   whole seconds by stat and open, milliseconds by list
 *
 * The SHA-256 is kept with the object; when it is read from begin to end it is
 * compared, and QUIRE_DAMAGED is returned instead of its last bytes.
 *
 * A draft is in memory up to a mebibyte, then in a file without a name; what
 * publish sends has its SHA-256 in the request. Above 16 MiB it goes in parts of
 * 8 MiB, four at once.
 *
 * Threads may use different objects and drafts of a store at once; batches and
 * the store's end are one thread's.
 */
#ifndef STORE_S3_H
#define STORE_S3_H

#include "store/object.h"
#include "store/s3_client.h"

/* Takes the client over. `spool` is the directory of temporary files, NULL:
 * TMPDIR or /tmp; it is not opened before it is needed. Asks the server
 * nothing. */
quire_status s3_store_new(struct s3_client *client, const char *spool,
                          struct object_store **out, quire_error *err);

/* The same by URL, with credentials of the environment: s3_config.h. */
quire_status s3_store_open(const char *url, struct object_store **out,
                           quire_error *err);

#endif
