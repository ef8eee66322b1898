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

struct save {
    char *path; /* owned; links followed                        */
    const char *base;
    int dir;    /* owned                                        */
    int direct; /* owned; what is written directly, or -1       */
    mode_t mode;
    struct fs_temp temp;
};

/* clang-format off */
#define SAVE_INIT {.dir = -1, .direct = -1, .temp = FS_TEMP_INIT}
/* clang-format on */

/* The option, for those who take it. */
/* clang-format off */
#define SAVE_OPT                                                               \
    {.name = "output", .letter = 'o', .kind = OPT_PATH, .value = "FILE",       \
     .help = "write to FILE, which appears when it is complete or not at "     \
             "all; `-` is standard output"}
/* clang-format on */

/* From here to save_release() an interrupt only sets a flag; save_write()
 * then gives QUIRE_STOPPED. */
quire_status save_open(struct save *s, const char *path, quire_error *err);
quire_status save_write(struct save *s, quire_bytes bytes, quire_error *err);

/* Make it durable and put it in its place. */
quire_status save_commit(struct save *s, quire_error *err);

/* Forget what was not committed. If a signal came meanwhile the process ends
 * by it here. */
void save_release(struct save *s);

#endif
