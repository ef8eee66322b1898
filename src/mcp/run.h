/* run.h - what became of a command, as JSON: one shape for every door */
#ifndef MCP_RUN_H
#define MCP_RUN_H

#include "base/json.h"
#include "quire.h"

/* The members of an object: exit, signal, timed_out, stdout, stderr, truncated,
 * artifact, confined, limits_hit, duration_ms, session, run, files,
 * files_passed. */
void run_put(struct json_writer *w, const quire_run_result *got,
             quire_bytes out, quire_bytes err);

#endif
