/*
 * persist.h - an entry on its way to the disk, and back
 *
 * What goes to the disk is the entry as its writer spelled it, except for
 * four things: strings of a size nobody reads are cut, members that mean
 * something only while an answer streams in are dropped, a count of lines is
 * brought up to date, and images become references to blobs. Each is a splice:
 * all bytes around it stay, and an entry that needs nothing is copied.
 *
 * Line breaks between values stay too, as any white space. Whoever writes one
 * entry a line sees to that before.
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

/* What a cut string ends with, as JSON spells it: 47 units. */
#define PERSIST_NOTICE "\\n\\n[Session persistence truncated large content]"

/* Characters of base64. Below, a reference and a file cost more than they
 * save. */
#define PERSIST_MIN_IMAGE 1024

/* Add `entry`, one JSON value, as it is to be stored.
 *
 *   - A string value longer than PERSIST_MAX_UNITS is cut so that it has just
 *     as many with the notice, or one less if that would split a pair. Never
 *     cut: base64 (`data` of an image or beside a mimeType, mediaType or
 *     media_type; data: URLs), what carries a signature of its provider, or is
 *     encrypted (all strings within such an object), and keys.
 *   - `partialJson` and `jsonlEvents` go, at any depth.
 *   - `lineCount`, if a number, becomes the count of lines in `content`, if a
 *     string, when anything in or below their object has changed.
 *   - With `blobs` (NULL: not), an image's `data` of PERSIST_MIN_IMAGE
 *     characters or more is put as a blob of the decoded bytes, and becomes
 *     "blob:sha256:<hex>". An image is an item of an array named `content`,
 *     `images` or `frames` whose type is "image" or whose mime type is one of
 *     images. Base64 that is not spelled as we would stays where it is: it
 *     could not be given back. An `image_url` that is a data: URL of an image
 *     is put whole, as text, whatever its size.
 *   - `omp`: items of `content` need the type "image", a mime type alone does
 *     not do. That is what oh-my-pi finds again.
 *
 * `tmp` is for scratch that the caller ends. Blobs put before a failure stay,
 * unreferenced, for the collector.
 *
 * QUIRE_INVALID  `entry` is not JSON
 * others         as blob_put() */
quire_status persist_entry(quire_bytes entry, struct blob_view blobs, bool omp,
                           struct arena *tmp, struct buf *out,
                           quire_error *err);

/* Add `value` with the content of blobs where they were before: base64 for
 * images, the text for `image_url`. Wherever persist_entry() or oh-my-pi puts
 * a reference it is found; it must be "blob:sha256:" and 64 lower-case hex
 * digits and nothing else. A blob that is not there, is damaged, or is no
 * text where text is due, leaves the reference in place, and `missing` (may be
 * NULL) is called with its digest; so are all of them if `blobs` is NULL.
 *
 * QUIRE_INVALID  `value` is not JSON
 * others         as blob_get(), but not QUIRE_NOT_FOUND or QUIRE_DAMAGED */
quire_status persist_hydrate(quire_bytes value, struct blob_view blobs,
                             struct arena *tmp, struct buf *out,
                             void (*missing)(void *ctx,
                                             const quire_digest *digest),
                             void *ctx, quire_error *err);

/* Call `each` for every "blob:sha256:<64 hex digits>" in any string of
 * `value`, keys too, wherever in the string it stands and however it is
 * spelled; as often as it occurs. Any other status than QUIRE_OK from it ends
 * the walk and is returned.
 *
 * QUIRE_INVALID  `value` is not JSON; what stands before that has been found */
quire_status persist_refs(quire_bytes value,
                          quire_status (*each)(void *ctx,
                                               const quire_digest *digest,
                                               quire_error *err),
                          void *ctx, quire_error *err);

#endif
