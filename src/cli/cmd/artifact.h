/*
 * artifact.h - what the verbs of `artifact` share with others
 */
#ifndef CLI_CMD_ARTIFACT_H
#define CLI_CMD_ARTIFACT_H

#include "base/buf.h"
#include "base/json.h"
#include "quire.h"

struct args;
struct cli;

/* Report an error. A bad path, type or tag exits with 2, an absent session or
 * artifact with 1. */
int artifact_fail(struct cli *cli, const quire_error *err);

/* An artifact in a line: "#3     2026-02-16 10:20       5 B  notes/a.md". */
void artifact_add_row(struct buf *line, const quire_artifact *a);

/* All that is known of an artifact, as members of an object that is open. */
void artifact_add_members(struct json_writer *w, const quire_artifact *a);

/* Print one, as a row. */
quire_status artifact_emit(struct cli *cli, const quire_artifact *a,
                           quire_error *err);

/* --media-type, or --mime, its other name; NULL if neither was given. */
const char *media_type_option(const struct args *args);

/* Read a file, or standard input for "-" or NULL. QUIRE_TOO_LARGE: it does not
 * fit into `out`. */
quire_status input_read(const char *name, struct buf *out, quire_error *err);

#endif
