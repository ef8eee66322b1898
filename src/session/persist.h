/*
 * persist.h - convert an entry for the disk, and back
 *
 * An entry is stored as its writer spelled it, except for four things:
 * oversized strings are cut, members that matter only while an answer streams
 * in are dropped, a line count is updated, and images become references to
 * blobs. Each is a splice: all bytes around it stay, and an entry that needs
 * nothing is copied.
 *
 * Line breaks between values stay too, as any white space. A caller that writes
 * one entry a line removes them first.
 */
#ifndef SESSION_PERSIST_H
#define SESSION_PERSIST_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/buf.h"
#include "blob/blob.h"
#include "quire.h"

/* JavaScript's length of a string: UTF-16 units. */
#define PERSIST_MAX_UNITS 500000

/* The notice at the end of a cut string, as JSON: 47 units. */
#define PERSIST_NOTICE "\\n\\n[Session persistence truncated large content]"

/* The member of an entry that lists references to the whole of its cut strings, in
 * the order in which they stand. */
#define PERSIST_WHOLE "quireWhole"

/* Characters of base64. Below, a reference and a file cost more than they save.
 */
#define PERSIST_MIN_IMAGE 1024

/* Add `entry`, one JSON value, in its stored form.
 *
 *   - A string value longer than PERSIST_MAX_UNITS is cut so that it has just
 *     as many with the notice, or one less if that would split a pair. Never
 *     cut: base64 (`data` of an image or beside a mimeType, mediaType or
 *     media_type; data: URLs), objects with a provider's signature or
 *     encrypted content (all strings within), and keys. With `blobs` the whole
 *     text is put as a blob, which PERSIST_WHOLE refers to; not if it has no
 *     exact UTF-8 (a lone surrogate), or the entry has such a member already.
 *   - `partialJson` and `jsonlEvents` are removed, at any depth.
 *   - `lineCount`, if a number, becomes the count of lines in `content`, if a
 *     string, when anything in or below their object has changed.
 *   - With `blobs` (NULL: not), an image's `data` of PERSIST_MIN_IMAGE
 *     characters or more is put as a blob of the decoded bytes, and becomes
 *     "blob:sha256:<hex>". An image is an item of an array named `content`,
 *     `images` or `frames` with the type "image" or an image's mime type.
 *     Base64 that we would spell differently stays where it is: it could not
 *     be restored. An `image_url` that is a data: URL of an image is put
 *     whole, as text, whatever its size.
 *   - `omp`: items of `content` need the type "image"; a mime type alone is
 *     not enough. That is what oh-my-pi finds again.
 *
 * `tmp` is scratch, released by the caller. Blobs put before a failure stay,
 * unreferenced, for the collector.
 *
 * QUIRE_INVALID  `entry` is not JSON
 * others         as blob_put() */
quire_status persist_entry(quire_bytes entry, struct blob_view blobs, bool omp,
                           struct arena *tmp, struct buf *out,
                           quire_error *err);

/* Add `value` with the references replaced by the content of their blobs:
 * base64 for images, the text for `image_url`; and with the whole of cut strings,
 * without PERSIST_WHOLE if that restored all of them. References are found wherever
 * persist_entry() or oh-my-pi puts them; they must be "blob:sha256:" and 64
 * lower-case hex digits and nothing else. If a blob is missing, damaged, or not
 * text where text is due, the reference stays, and `missing` (may be NULL) is
 * called with its digest; so it is for all of them if `blobs` is NULL.
 *
 * QUIRE_INVALID  `value` is not JSON
 * others         as blob_get(), but not QUIRE_NOT_FOUND or QUIRE_DAMAGED */
quire_status persist_hydrate(quire_bytes value, struct blob_view blobs,
                             struct arena *tmp, struct buf *out,
                             void (*missing)(void *ctx,
                                             const quire_digest *digest),
                             void *ctx, quire_error *err);

typedef quire_status (*persist_ref_fn)(void *ctx, const quire_digest *digest,
                                       quire_error *err);

/* Call `each` for every "blob:sha256:<64 hex digits>" in any string of `value`,
 * keys too, anywhere in the string and however it is spelled; as often as it
 * occurs. Text that mentions a blob keeps it, so a collection uses this. A
 * status other than QUIRE_OK from `each` ends the walk and is returned.
 *
 * QUIRE_INVALID  `value` is not JSON; what precedes the error has been found */
quire_status persist_refs(quire_bytes value, persist_ref_fn each, void *ctx,
                          quire_error *err);

/* The same for those that stand for content: a string that is a reference and
 * nothing else, as the value of `data`, `result` or `image_url`, or in
 * PERSIST_WHOLE. These alone can be missing. */
quire_status persist_typed_refs(quire_bytes value, persist_ref_fn each,
                                void *ctx, quire_error *err);

#endif
