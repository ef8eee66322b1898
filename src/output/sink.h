/*
 * sink.h - keep everything, show a little
 *
 * The sink of quire.h, over a shelf. See there for what it does.
 */
#ifndef OUTPUT_SINK_H
#define OUTPUT_SINK_H

#include "output/dir.h"
#include "quire.h"

struct sink;

/* `shelf` is borrowed; NULL: keep no file. */
quire_status sink_new(struct output_dir *shelf,
                      const quire_sink_options *options, struct sink **out,
                      quire_error *err);
void sink_free(struct sink *s);

void sink_write(struct sink *s, quire_bytes bytes);
void sink_finish(struct sink *s, quire_sink_result *result);

#endif
