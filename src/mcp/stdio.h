/*
 * stdio.h - MCP over standard input and output
 *
 * Each message and each answer is one line. One thread reads. Up to six workers,
 * started as needed, each with a handle of its own, run the calls; an answer is
 * written when it is ready. One more thread watches the files, from the first answer
 * on.
 *
 * Answers may overtake each other, effects do not: a read sees all earlier changes,
 * and a change waits for earlier reads. So a script may send all its requests at
 * once. Only `run` blocks no other call; it sees earlier changes.
 *
 * At the end of the input running calls get less than a second, and are stopped.
 */
#ifndef MCP_STDIO_H
#define MCP_STDIO_H

#include "mcp/mcp.h"

struct stdio_config {
    struct mcp_config mcp;
    quire *q; /* the store of the first handle, already open */
    int in, out;
    bool watch; /* keep files and artifacts in sync */
};

/* Serve until the end of the input. QUIRE_NOT_FOUND: no such session. Does not
 * come back if something would not end in time: then the process ends with
 * status 0. */
quire_status stdio_serve(const struct stdio_config *config, quire_error *err);

#endif
