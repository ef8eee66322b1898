/* v3.h - messages as entries of version 3, which pi and oh-my-pi read */
#ifndef EXPORT_V3_H
#define EXPORT_V3_H

#include "export/target.h"

struct v3 {
    char last[9]; /* id of the last entry; "": none */
};

/* Begin an entry below the last one; `part` tells those of one message apart. */
void v3_begin(struct export *x, const char *type, quire_bytes id, unsigned part,
              int64_t ms);
void v3_end(struct export *x);

/* Write any message but a reset, and of oh-my-pi system messages. */
void v3_message(struct export *x, const struct export_message *m, bool omp);

/* "<time>_<uuid>.jsonl" */
const char *v3_file_name(struct export *x);

#endif
