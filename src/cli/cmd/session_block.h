/*
 * session_block.h - print the content of messages
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
    quire *images;  /* owned; a second handle for sizes of blobs, since the
                       first is in a callback; NULL: not opened yet    */
    bool no_images; /* it cannot be opened                             */
    struct buf text, line;
};

void blocks_init(struct blocks *b, struct cli *cli, bool full);
void blocks_release(struct blocks *b);

/* How much of a text is shown without --full. */
enum block_size { BLOCK_WHOLE, BLOCK_THINKING, BLOCK_RESULT, BLOCK_LINE };

/* Print a JSON value, a string as its text, indented; nothing if it is absent
 * or empty. `style` is one of the above or "". */
void block_print(struct blocks *b, quire_bytes value, enum block_size size,
                 const char *style);

/* Print what a message has as `content`: a string, or blocks of which the
 * text is shown at that size. */
void block_print_content(struct blocks *b, quire_bytes content,
                         enum block_size size);

#endif
