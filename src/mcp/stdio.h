/*
 * stdio.h - a client at the two ends of a pipe
 *
 * A message a line comes in, an answer a line goes out, and nothing else does.
 * One thread reads. Others, as many as are needed and no more than six, do the
 * work, each with a handle of its own; so an answer comes when it is ready, and
 * a long one holds nobody up. One more watches the files, from when the first
 * answer is out.
 *
 * Answers may overtake each other, effects do not: what looks sees all that
 * was asked to be changed before it, and what changes waits for those who
 * looked before. So a script that writes all its requests at once gets what it
 * expects. Only `run` is passed by: it sees what was written before, and
 * nobody waits for it.
 *
 * At the end of the input what is under way gets a moment to end; then it is
 * ended. It never takes a second.
 */
#ifndef MCP_STDIO_H
#define MCP_STDIO_H

#include "mcp/mcp.h"

struct stdio_config {
    struct mcp_config mcp;
    quire *q; /* a handle for the first hand, so that it is opened once */
    int in, out;
    bool watch; /* keep files and artifacts in step meanwhile */
};

/* Serve until the end of the input. QUIRE_NOT_FOUND: no such session. Does not
 * come back if something would not end in time: then the process ends with
 * status 0. */
quire_status stdio_serve(const struct stdio_config *config, quire_error *err);

#endif
