/*
 * sink.h - store a whole output, show a part of it
 *
 * The sink of include/quire/output.h, over an output directory.
 */
#ifndef OUTPUT_SINK_H
#define OUTPUT_SINK_H

#include "output/dir.h"
#include "quire.h"
#include "secrets/secrets.h"

struct sink;

/* What a sink does about secrets. */
struct sink_secrets {
    bool look, mask;
    secrets_fn each; /* may be NULL */
    void *ctx;
};

/* `dir` is borrowed; NULL: store no file. `secrets` may be NULL: do not look for them. */
quire_status sink_new(struct output_dir *dir, const quire_sink_options *options,
                      const struct sink_secrets *secrets, struct sink **out,
                      quire_error *err);
void sink_free(struct sink *s);

void sink_write(struct sink *s, quire_bytes bytes);
void sink_finish(struct sink *s, quire_sink_result *result);

#endif
