/* peer_process.h - a program at the other end of two pipes */
#ifndef CLI_CORE_PEER_PROCESS_H
#define CLI_CORE_PEER_PROCESS_H

#include <stddef.h>
#include <sys/types.h>

#include "quire.h"

struct peer_process {
    pid_t pid;
    int in, out;      /* to read from, to write to */
    const char *name; /* for messages */
};

/* Start it: argv[0] is looked for in PATH. The environment is ours without QUIRE_HOME,
 * QUIRE_TENANT and QUIRE_SESSION. */
quire_status peer_start(struct peer_process *p, char *const argv[],
                        const char *name, quire_error *err);

/* Close both pipes and wait for its end. QUIRE_IO: it failed. */
quire_status peer_end(struct peer_process *p, quire_error *err);

/* quire_read_fn and quire_write_fn; ctx is a struct peer_process. */
quire_status peer_read(void *ctx, void *buf, size_t cap, size_t *n,
                       quire_error *err);
quire_status peer_write(void *ctx, quire_bytes bytes, quire_error *err);

#endif
