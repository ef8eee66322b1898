/*
 * sink.h - store a whole output, show a part of it
 *
 * The sink of include/quire/output.h, over an output directory.
 */
#ifndef OUTPUT_SINK_H
#define OUTPUT_SINK_H

#include "output/dir.h"
#include "quire.h"

struct sink;

/* `dir` is borrowed; NULL: store no file. */
quire_status sink_new(struct output_dir *dir, const quire_sink_options *options,
                      struct sink **out, quire_error *err);
void sink_free(struct sink *s);

void sink_write(struct sink *s, quire_bytes bytes);
void sink_finish(struct sink *s, quire_sink_result *result);

#endif
