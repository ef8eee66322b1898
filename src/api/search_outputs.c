/* search_outputs.c - index outputs of tools, and conversations of JP */
#include <string.h>

#include "api/search_files.h"
#include "api/search_jp.h"
#include "api/search_turns.h"
#include "base/bytes.h"
#include "base/err.h"

/* ---- outputs --------------------------------------------------------------------------- */

/* "sessions/--x--/t_id/3.bash.log": the session's file, and the parts of the name. */
static quire_status output_session(struct file_update *u,
                                   const struct listed_file *f,
                                   struct arena *keep, struct source *s,
                                   quire_error *err)
{
    const char *base = strrchr(f->name, '/');
    struct source session;
    struct engine *of;
    char *file;
    quire_status st = QUIRE_NOT_FOUND;
    int i;

    for (i = 0; i < 2 && st == QUIRE_NOT_FOUND; i++) {
        file = arena_printf(keep, "%.*s.jsonl%s", (int)(base - f->name),
                            f->name, i == 0 ? "" : ".gz");
        st = file ? search_find_known(u, SOURCE_SESSION, file, keep, &session,
                                      &of, err)
                  : err_memory(err);
    }
    if (!st) {
        s->session = session.session;
        s->project = session.project;
        s->title = session.title;
        s->agent = session.agent;
    }
    return st == QUIRE_NOT_FOUND ? QUIRE_OK : st;
}

/* The tool in "3.bash.log"; empty for a report. */
static quire_bytes output_tool(const char *name)
{
    const char *base = strrchr(name, '/') + 1;
    const char *from = strchr(base, '.'), *to = strrchr(base, '.');

    if (!from || from == to || strcmp(to, ".log") != 0)
        return bytes_of("", 0);
    return bytes_of(from + 1, (size_t)(to - from - 1));
}

quire_status search_read_output(struct file_update *u,
                                const struct listed_file *f, quire_error *err)
{
    struct arena keep = ARENA_INIT;
    struct source s = {.kind = SOURCE_OUTPUT,
                       .key = f->name,
                       .session = "",
                       .title = "",
                       .project = "",
                       .agent = "",
                       .inode = f->info.inode,
                       .file_size = f->info.size,
                       .mtime_ns = f->info.modified_ns,
                       .ctime_ns = f->info.changed_ns,
                       .created_us = f->info.modified_ns / 1000,
                       .modified_us = f->info.modified_ns / 1000,
                       .flags = f->archived ? SOURCE_ARCHIVED : 0u};
    struct segment_text text = {{{NULL, 0}}};
    struct place place = {.time_us = s.created_us,
                          .meta = TEXT_OUTPUT | TEXT_ROLE_TOOL
                                                    << PLACE_KIND_BITS};
    uint64_t len = f->info.size < SEARCH_OUTPUT_MAX ? f->info.size
                                                    : SEARCH_OUTPUT_MAX;
    struct buf *bytes = &u->x->text;
    struct log *log = NULL;
    size_t n = 0;
    quire_status st = search_drop_known(u, SOURCE_OUTPUT, f->name, err);

    if (!st)
        st = output_session(u, f, &keep, &s, err);
    if (!st)
        st = log_open(u->x->q->all->logs, f->name, LOG_READ, &log,
                      &(struct object_info){.size = 0}, err);
    buf_clear(bytes);
    if (!st && !buf_room(bytes, (size_t)len + 1))
        st = err_memory(err);
    if (!st)
        st = log_read(log, 0, bytes->data, (size_t)len, &n, err);
    s.size = n;
    if (!st)
        st = engine_put_source(u->to, &s, err);
    place.source = s.number;
    place.group = search_group(s.session);
    place.length = (uint32_t)n;
    text.fields[FIELD_BODY] = bytes_of(bytes->data, n);
    place.meta |= (uint16_t)search_text_flags(text.fields[FIELD_BODY]);
    if (!st)
        st = engine_add(u->to, &text, &place, output_tool(f->name),
                        bytes_of("", 0), err);
    if (!st)
        st = search_step_progress(u, f->info.size);
    if (log)
        log_close(log);
    if (!st)
        search_mark_seen(u, s.number);
    arena_release(&keep);
    return st == QUIRE_NOT_FOUND ? QUIRE_OK : st;
}

/* ---- conversations of JP ------------------------------------------------------------------ */

struct conversing {
    struct file_update *u;
    struct source *source;
    struct turn_reader turns;
    uint64_t next; /* after the event that was read last */
};

/* The events of a conversation follow each other; a request begins a turn. */
static quire_status follow_event(struct conversing *k,
                                 const struct event_place *event,
                                 quire_error *err)
{
    struct turn_line line = {event->index, event->id, bytes_str(k->turns.last),
                             bytes_is(event->type, "chat_request")};

    if (event->index < k->next)
        return QUIRE_OK;
    k->next = event->index + 1;
    return turn_reader_line(&k->turns, &line, err);
}

static quire_status add_event_text(void *ctx, const struct event_place *event,
                                   const struct entry_text *t, quire_error *err)
{
    struct conversing *k = ctx;
    struct segment_text text = {.fields = {[FIELD_BODY] = t->text}};
    struct place place =
        {.source = k->source->number,
         .offset = event->index,
         .part = (uint16_t)(t->part < UINT16_MAX ? t->part : UINT16_MAX),
         .time_us = event->time_us,
         .group = search_group(k->source->session),
         .meta = (uint16_t)((unsigned)t->kind |
                            (unsigned)t->role << PLACE_KIND_BITS |
                            (t->is_error ? PLACE_ERROR : 0u) |
                            (t->has_image ? PLACE_IMAGE : 0u))};
    quire_status st;

    if (event->time_us > k->source->modified_us)
        k->source->modified_us = event->time_us;
    st = follow_event(k, event, err);
    return st ? st
              : engine_add(k->u->to, &text, &place, t->tool, t->model, err);
}

/* A conversation that has changed is read anew. */
quire_status search_read_conversation(struct file_update *u,
                                      const struct listed_file *f,
                                      quire_error *err)
{
    struct quire *q = u->x->q;
    struct arena keep = ARENA_INIT;
    struct source s = {.kind = SOURCE_JP,
                       .key = f->name,
                       .session = search_jp_id(f->name, &keep),
                       .title = search_jp_title(q, f->name, &keep),
                       .project = "",
                       .agent = "jp",
                       .inode = f->info.inode,
                       .size = f->info.size,
                       .file_size = f->info.size,
                       .mtime_ns = f->info.modified_ns,
                       .ctime_ns = f->info.changed_ns,
                       .flags = f->archived ? SOURCE_ARCHIVED : 0u};
    struct conversing k = {.u = u,
                           .source = &s,
                           .turns = {.x = u->x, .to = u->to, .source = &s}};
    quire_status st = s.session && s.title
                          ? search_drop_known(u, SOURCE_JP, f->name, err)
                          : err_memory(err);

    if (!st)
        st = engine_put_source(u->to, &s, err);
    if (!st)
        st = search_jp_texts(q, f->name, add_event_text, &k, err);
    if (!st)
        st = turn_reader_save(&k.turns, err);
    if (!st)
        st = engine_put_source(u->to, &s, err);
    if (!st)
        st = search_step_progress(u, f->info.size);
    if (!st)
        search_mark_seen(u, s.number);
    arena_release(&keep);
    return st == QUIRE_NOT_FOUND ? QUIRE_OK : st;
}
