/*
 * atomic_output.h - writing the file a user named, or nothing
 *
 * `-o FILE` either leaves a complete FILE or leaves things as they were, be
 * it a full disk, damage found half way, or Ctrl-C. The bytes go to a nameless
 * file beside it that takes its name at the end.
 *
 * What is no plain file (a terminal, /dev/null, a FIFO) is written directly:
 * replacing it would be a surprise.
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

/* The option, for those who take it. */
/* clang-format off */
#define ATOMIC_OUTPUT_OPT                                                               \
    {.name = "output", .letter = 'o', .kind = OPT_PATH, .value = "FILE",       \
     .help = "write to FILE, which appears when it is complete or not at "     \
             "all; `-` is standard output"}
/* clang-format on */

/* From here to atomic_output_release() an interrupt only sets a flag; atomic_output_write()
 * then gives QUIRE_STOPPED. */
quire_status atomic_output_open(struct atomic_output *s, const char *path,
                                quire_error *err);
quire_status atomic_output_write(struct atomic_output *s, quire_bytes bytes,
                                 quire_error *err);

/* Make it durable and put it in its place. */
quire_status atomic_output_commit(struct atomic_output *s, quire_error *err);

/* Forget what was not committed. If a signal came meanwhile the process ends
 * by it here. */
void atomic_output_release(struct atomic_output *s);

#endif
