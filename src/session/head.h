/*
 * head.h - what one entry is, without its content
 *
 * A head says enough to draw a transcript of tens of thousands of entries before any
 * of them is read: kind, time, size, tools, tokens. One pass over the line, which is
 * parsed in full meanwhile.
 *
 *   - Text lends from the line. What is missing or of another kind is empty or 0.
 *   - `lines` estimates the height of the entry as text: lines of its text, the first
 *     4 KiB of each string alone, and one for each thought and call.
 *   - `error`: a result that is an error, an exit code other than 0, or the stop reason
 *     `error`.
 */
#ifndef SESSION_HEAD_H
#define SESSION_HEAD_H

#include <stdbool.h>

#include "quire.h"

struct head {
    quire_bytes type, role, tool, model; /* decoded where they need no memory */
    int64_t time_ms;                     /* 0: none                           */
    uint64_t input, output;              /* tokens                            */
    uint64_t cache_read, cache_write;
    uint64_t cost_nano_usd;
    uint32_t lines, calls;
    unsigned flags; /* QUIRE_HEAD_...: those that the line alone shows */
};

/* False: the line is not a JSON object. */
bool head_read(quire_bytes line, struct head *out);

#endif
