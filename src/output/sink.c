/*
 * sink.c - clean, count, show and store a stream
 *
 *     bytes --clean--> batch --+--> window     the part to show
 *                              +--> draft      the whole, once it is too much
 *
 * Clean text is collected in batches, and all else is done a batch at a time:
 * so pieces of any size cost the same, and the result cannot depend on where
 * they were cut.
 *
 * The file is begun with the first batch that does not fit into the window.
 * Until then the window has everything, so the file can be written from there:
 *
 *   (1) Before a batch that does not fit, the window holds the whole text.
 *   (2) From then on the draft has the whole text, as long as nothing failed.
 *
 * The file may fail at any time, and the stream goes on without it: `problem`
 * has the reason, and a partial file is discarded, because it would look
 * complete.
 */
#include "output/sink.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/err.h"
#include "output/sanitize.h"
#include "output/head_tail.h"

/* 256 KiB. Smaller, and the system calls are measurable; larger, and it does
 * not stay in the cache between being cleaned and being written. */
#define BATCH ((size_t)256 << 10)

#define THRESHOLD_MAX ((uint64_t)1 << 30)

struct sink {
    struct output_dir *dir;
    struct draft *draft; /* NULL: not begun, or failed                      */
    bool spilled;        /* the window does not have everything             */
    quire_error problem;
    struct arena keep;
    char tool[OUTPUT_DIR_NAME_SIZE];

    uint64_t total_bytes, newlines;
    bool ends_in_line; /* the last byte was not a newline */
    struct head_tail window;
    struct sink_secrets secrets;
    struct secrets_stream guard;
    struct buf guarded; /* of a batch */
    size_t n_batch;
    char batch[BATCH];
    struct sanitizer
        clean; /* last: most of it is never touched                */
};

quire_status sink_new(struct output_dir *dir, const quire_sink_options *options,
                      const struct sink_secrets *secrets, struct sink **out,
                      quire_error *err)
{
    const quire_sink_options *o = options;
    struct sink *s;
    uint64_t head;
    quire_status st;

    *out = NULL;
    if (o->threshold > THRESHOLD_MAX)
        return err_set(err, QUIRE_INVALID,
                       "cannot show more than 1 GiB of output");
    s = malloc(sizeof *s);
    if (!s)
        return err_memory(err);
    memset(s, 0, offsetof(struct sink, batch));
    sanitize_init(&s->clean);
    s->guard = (struct secrets_stream)SECRETS_STREAM_INIT;
    s->guarded = (struct buf)BUF_INIT(2 * SECRETS_HELD_MAX);
    if (secrets) {
        s->secrets = *secrets;
        s->guard.each = secrets->each;
        s->guard.ctx = secrets->ctx;
    }
    s->dir = dir;
    output_dir_clean_name(o->tool ? o->tool : "", "tool", s->tool);
    head = o->head < o->threshold / 2 ? o->head : o->threshold / 2;
    st = head_tail_init(&s->window, (size_t)o->threshold, (size_t)head,
                        o->columns, err);
    if (st)
        sink_free(s);
    else
        *out = s;
    return st;
}

void sink_free(struct sink *s)
{
    if (!s)
        return;
    if (s->draft)
        object_discard(s->draft);
    head_tail_release(&s->window);
    secrets_stream_release(&s->guard);
    buf_release(&s->guarded);
    arena_release(&s->keep);
    free(s);
}

/* ---- the file ----------------------------------------------------------- */

static void discard_file(struct sink *s)
{
    if (s->draft)
        object_discard(s->draft);
    s->draft = NULL;
}

static void write_text(struct sink *s, quire_bytes text)
{
    if (s->draft && text.len > 0 && object_write(s->draft, text, &s->problem))
        discard_file(s);
}

/* Begin the file with the content of the window; it has everything. */
static void begin_file(struct sink *s)
{
    quire_bytes pieces[3];
    size_t i;

    s->spilled = true;
    if (!s->dir || output_dir_draft(s->dir, &s->draft, &s->problem)) {
        s->draft = NULL;
        return;
    }
    head_tail_pieces(&s->window, pieces);
    for (i = 0; i < 3; i++)
        write_text(s, pieces[i]);
}

/* ---- the stream --------------------------------------------------------- */

static void take_text(struct sink *s, quire_bytes text)
{
    s->total_bytes += text.len;
    s->newlines += bytes_count(text, '\n');
    if (text.len > 0)
        s->ends_in_line = ((const char *)text.data)[text.len - 1] != '\n';
    if (!s->spilled && !head_tail_fits(&s->window, text))
        begin_file(s);
    write_text(s, text);
    head_tail_add(&s->window, text);
}

/* A batch with the secrets masked, as far as they are known. Without memory to look for
 * them the text is left out: it is not stored as it is. */
static void flush_batch(struct sink *s, bool end)
{
    quire_bytes text = bytes_of(s->batch, s->n_batch);

    s->n_batch = 0;
    if (!s->secrets.look) {
        take_text(s, text);
        return;
    }
    buf_clear(&s->guarded);
    secrets_stream_add(&s->guard, text, end, &s->guarded);
    if (s->guarded.failed && !s->problem.status)
        err_memory(&s->problem);
    take_text(s, s->secrets.mask ? buf_bytes(&s->guarded) : text);
}

void sink_write(struct sink *s, quire_bytes bytes)
{
    while (bytes.len > 0 || sanitize_has_more(&s->clean)) {
        s->n_batch += sanitize_text(&s->clean, &bytes, s->batch + s->n_batch,
                                    BATCH - s->n_batch);
        if (BATCH - s->n_batch < SANITIZE_ROOM)
            flush_batch(s, false);
    }
}

/* Give the file its number. */
static void publish_file(struct sink *s, quire_sink_result *result)
{
    struct store *store = s->dir->store;
    struct draft *d = s->draft;
    const char *name, *id;

    s->draft = NULL;
    if (output_dir_put_log(s->dir, d, s->tool, &s->keep, &name, &id,
                           &s->problem))
        return;
    result->path = arena_printf(&s->keep, "%s/%s", store_place(store), name);
    result->id = id;
    if (!result->path) {
        result->id = NULL;
        err_memory(&s->problem);
    }
}

void sink_finish(struct sink *s, quire_sink_result *result)
{
    *result = (quire_sink_result){0};
    sanitize_end(&s->clean);
    sink_write(s, bytes_of(NULL, 0));
    flush_batch(s, true);
    result->secrets = s->guard.n;
    if (s->draft)
        publish_file(s, result);
    result->total_bytes = s->total_bytes;
    result->total_lines = s->total_bytes ? s->newlines + 1 : 0;
    result->ends_in_line = s->ends_in_line;
    head_tail_finish(&s->window, result->total_lines, result);
    result->problem = s->problem;
}
