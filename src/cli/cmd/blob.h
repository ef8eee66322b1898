/*
 * blob.h - what the verbs of `blob` share
 */
#ifndef CLI_CMD_BLOB_H
#define CLI_CMD_BLOB_H

#include "base/json.h"
#include "quire.h"

struct cli;

/* clang-format off */
#define STORE_OPTS                                                             \
    {.name = "store", .kind = OPT_PATH, .value = "DIR",                        \
     .help = "use the blobs directory DIR instead of the home's"},             \
    {.name = "layout", .kind = OPT_CHOICE, .value = "packed|loose|flat",       \
     .help = "the layout of DIR; detected unless given"}
/* clang-format on */

/* ref, sha256, size_bytes, stored_bytes, as members of an object that is open. */
void blob_add_members(struct json_writer *w, const quire_blob_info *info);

/* Add `path`, null for a blob without a file of its own. */
void blob_add_path(struct cli *cli, struct json_writer *w,
                   const quire_blob_info *info);

/* Find the blob that `text` names, or report an error. */
int blob_resolve(struct cli *cli, const char *text, quire_digest *digest);

#endif
