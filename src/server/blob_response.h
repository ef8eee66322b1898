/* blob_response.h - answer with stored content: ETag, Range, conditions */
#ifndef SERVER_BLOB_RESPONSE_H
#define SERVER_BLOB_RESPONSE_H

#include "server/request.h"

/* Which tags of a list count as this digest's. EXACT: of these very bytes. SAME:
 * or of the same content in gzip. WEAK: or marked weak, which is enough to skip a
 * transfer. */
enum etag_like { ETAG_EXACT, ETAG_SAME, ETAG_WEAK };

/* Whether a list of tags ("\"a\", W/\"b\"", or "*") has the one of a digest. */
bool blob_response_etag_matches(quire_bytes list, const char *hex,
                                enum etag_like like);

/* Answer with the content, the requested range, 304 or 412. */
void blob_response_send(struct request *c, const quire_digest *digest,
                        uint64_t size, const char *mime);

#endif
