/*
 * atomic_output.h - write a file whole or not at all
 *
 * `-o FILE` leaves a complete FILE, or after a full disk, damage or Ctrl-C the
 * file as it was. The bytes go to an unnamed file in the same directory, which
 * gets its name at the end.
 *
 * A terminal, /dev/null or a FIFO is written directly, not replaced.
 */
#ifndef CLI_CORE_ATOMIC_OUTPUT_H
#define CLI_CORE_ATOMIC_OUTPUT_H

#include <sys/types.h>

#include "base/fs.h"
#include "quire.h"

struct atomic_output {
    char *path; /* owned; links followed                        */
    const char *base;
    int dir;    /* owned                                        */
    int direct; /* owned; what is written directly, or -1       */
    mode_t mode;
    struct fs_temp temp;
};

/* clang-format off */
#define ATOMIC_OUTPUT_INIT {.dir = -1, .direct = -1, .temp = FS_TEMP_INIT}
/* clang-format on */

/* The option, for commands that have it. */
/* clang-format off */
#define ATOMIC_OUTPUT_OPT                                                               \
    {.name = "output", .letter = 'o', .kind = OPT_PATH, .value = "FILE",       \
     .help = "write to FILE, whole or not at all; `-` is standard output"}
/* clang-format on */

/* From here to atomic_output_release() a signal only sets a flag, and
 * atomic_output_write() returns QUIRE_STOPPED. */
quire_status atomic_output_open(struct atomic_output *s, const char *path,
                                quire_error *err);
quire_status atomic_output_write(struct atomic_output *s, quire_bytes bytes,
                                 quire_error *err);

/* Sync the file and give it its name. */
quire_status atomic_output_commit(struct atomic_output *s, quire_error *err);

/* Drop what was not committed. A signal that was caught ends the process here. */
void atomic_output_release(struct atomic_output *s);

#endif
