/*
 * session_block.h - the content of messages, as a transcript shows it
 */
#ifndef CLI_CMD_SESSION_BLOCK_H
#define CLI_CMD_SESSION_BLOCK_H

#include <stdbool.h>

#include "base/buf.h"
#include "cli/cmd/session.h"
#include "quire.h"

#define BLOCK_BOLD  "\033[1m"
#define BLOCK_DIM   "\033[2m"
#define BLOCK_PLAIN "\033[0m"

struct blocks {
    struct cli *cli;
    const struct marks *marks;
    bool full;
    quire *images;  /* owned: another handle, to ask for sizes while the
                          first one is calling us; NULL: not needed yet */
    bool no_images; /* and cannot be had                              */
    struct buf text, line;
};

void blocks_init(struct blocks *b, struct cli *cli, bool full);
void blocks_release(struct blocks *b);

/* How much of a text is shown without --full. */
enum block_size { BLOCK_WHOLE, BLOCK_THINKING, BLOCK_RESULT, BLOCK_LINE };

/* Print a JSON value, a string as its text, indented; nothing if it is absent
 * or empty. `style` is one of the above or "". */
void block_say(struct blocks *b, quire_bytes value, enum block_size size,
               const char *style);

/* Print what a message has as `content`: a string, or blocks of which the
 * text is shown at that size. */
void block_say_content(struct blocks *b, quire_bytes content,
                       enum block_size size);

#endif
