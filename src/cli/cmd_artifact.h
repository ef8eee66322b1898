/*
 * cmd_artifact.h - what the verbs of `artifact` share with others
 */
#ifndef CLI_CMD_ARTIFACT_H
#define CLI_CMD_ARTIFACT_H

#include "base/buf.h"
#include "base/json.h"
#include "quire.h"

/* All that is known of an artifact, as one object. */
void artifact_add_json(struct buf *line, const quire_artifact *a);

/* A member that is a point in time, as RFC 3339; null for 0. */
void json_add_time(struct json_writer *w, const char *key, int64_t us);

/* All of a file, or of standard input ("-" or NULL), up to the ceiling of
 * `out`: QUIRE_TOO_LARGE. */
quire_status input_read(const char *name, struct buf *out, quire_error *err);

#endif
