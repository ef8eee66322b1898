/* segment_verify.h - read a whole segment and check that it is sound */
#ifndef SEARCH_SEGMENT_VERIFY_H
#define SEARCH_SEGMENT_VERIFY_H

#include "search/segment.h"

/* Check every byte of an open segment: both objects have the bytes that were
 * written, terms ascend, every list can be decoded, and its texts, places, digests
 * and names agree. QUIRE_DAMAGED with the first damage and its place.
 *
 * Takes as long as reading both objects a few times, and memory for a bit for each
 * text and for one list; whatever the bytes are. */
quire_status segment_verify(struct segment *s, quire_error *err);

#endif
