/*
 * search_files.c - index sessions, outputs and conversations of JP
 *
 * Files are compared with what the index has by inode, size and times. A session that
 * has grown is read from where the index ends, if the bytes before that place are still
 * the same; else it is read anew. Cost: a stat for each file, and the new bytes. What is
 * gone leaves the index.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <nettle/sha2.h>

#include "api/search.h"
#include "api/search_jp.h"
#include "base/bytes.h"
#include "base/err.h"
#include "base/json.h"
#include "output/dir.h"
#include "session/jsonl.h"

/* A file that changed this recently may change again without a new time. */
#define FRESH_NS INT64_C(20000000)

#define OUTPUT_MAX ((uint64_t)64 << 20)
#define TAIL_BYTES ((size_t)256)
#define TITLE_MAX  ((size_t)120)

/* A file that was listed. */
struct listed {
    char *name;
    struct object_info info;
    enum source_kind kind; /* a session, an output, a conversation of JP */
    bool archived;
};

struct updating {
    struct search_index *x;
    struct engine *to; /* home or pending */
    struct search_progress *p;
    struct arena keep; /* names */
    struct listed *files;
    size_t n_files, cap_files;
    uint8_t *seen[SEARCH_ENGINES]; /* a byte a source, of home and pending */
    uint32_t first[SEARCH_ENGINES], end[SEARCH_ENGINES];
    int64_t now_ns;
};

/* ---- sources ------------------------------------------------------------------------ */

/* The state that the index has of a source, of the engine in memory first. *of is the
 * engine. QUIRE_NOT_FOUND. */
static quire_status find_known(struct updating *u, enum source_kind kind,
                               const char *key, struct arena *keep,
                               struct source *out, struct engine **of,
                               quire_error *err)
{
    struct engine *list[SEARCH_ENGINES] = {u->x->pending, u->x->home};
    quire_status st = QUIRE_NOT_FOUND;
    int i;

    for (i = 0; i < SEARCH_ENGINES && st == QUIRE_NOT_FOUND; i++) {
        if (!list[i])
            continue;
        st = engine_find_source(list[i], kind, key, keep, out, err);
        if (!st && !engine_is_live(list[i], out->number))
            st = QUIRE_NOT_FOUND;
        *of = list[i];
    }
    return st;
}

/* The content of a source is not valid any more. */
static quire_status drop_source(struct updating *u, struct engine *of,
                                uint32_t number, quire_error *err)
{
    return of == u->to ? engine_kill_source(of, number, err)
                       : engine_hide_source(of, number, err);
}

/* Both engines may have a part of a session: drop them all. */
static quire_status drop_known(struct updating *u, enum source_kind kind,
                               const char *key, quire_error *err)
{
    struct arena tmp = ARENA_INIT;
    struct source known;
    struct engine *of;
    quire_status st;

    do {
        arena_reset(&tmp);
        st = find_known(u, kind, key, &tmp, &known, &of, err);
        if (!st)
            st = drop_source(u, of, known.number, err);
    } while (!st);
    arena_release(&tmp);
    return st == QUIRE_NOT_FOUND ? QUIRE_OK : st;
}

static void mark_seen(struct updating *u, uint32_t number)
{
    int i;

    for (i = 0; i < SEARCH_ENGINES; i++)
        if (u->seen[i] && number >= u->first[i] && number < u->end[i])
            u->seen[i][number - u->first[i]] = 1;
}

static quire_status step_progress(struct updating *u, uint64_t bytes)
{
    struct search_progress *p = u->p;

    if (!p)
        return QUIRE_OK;
    p->done += bytes;
    return p->each ? p->each(p->ctx, p->done, p->total) : QUIRE_OK;
}

/* ---- sessions ------------------------------------------------------------------------- */

/* A session being read. */
struct reading {
    struct updating *u;
    struct source *source;
    struct entry_text_head head;
    struct place place;
    quire_bytes last_id; /* of the entry before */
    char last[128];
    char title[TITLE_MAX + 8];
    bool titled; /* by name, not by the first message */
    struct arena *keep;
};

/* The beginning of a text as a title: its first line. */
static void set_title(struct reading *r, quire_bytes text)
{
    const char *at = text.data, *end;
    size_t len;

    while (text.len > 0 && (*at == ' ' || *at == '\n' || *at == '\t')) {
        at++;
        text.len--;
    }
    end = memchr(at, '\n', text.len);
    len = end ? (size_t)(end - at) : text.len;
    if (len > TITLE_MAX) {
        len = TITLE_MAX;
        while (len > 0 && ((unsigned char)at[len] & 0xc0) == 0x80)
            len--;
    }
    memcpy(r->title, at, len);
    r->title[len] = '\0';
}

static quire_status add_entry_text(void *ctx, const struct entry_text *t,
                                   quire_error *err)
{
    struct reading *r = ctx;
    struct segment_text text = {{{NULL, 0}}};

    if (t->kind == TEXT_TITLE && t->text.len > 0) {
        set_title(r, t->text);
        r->titled = true;
    } else if (!r->titled && !r->title[0] && t->kind == TEXT_MESSAGE &&
               t->role == TEXT_ROLE_USER) {
        set_title(r, t->text);
    }
    text.fields[FIELD_BODY] = t->text;
    r->place.part = (uint16_t)(t->part < UINT16_MAX ? t->part : UINT16_MAX);
    r->place.time_us = r->head.time_us;
    r->place.meta = (uint16_t)((unsigned)t->kind |
                               (unsigned)t->role << PLACE_KIND_BITS |
                               (t->is_error ? PLACE_ERROR : 0u) |
                               (t->has_image ? PLACE_IMAGE : 0u) |
                               search_text_flags(t->text));
    return engine_add(r->u->to, &text, &r->place, t->tool, t->model, err);
}

/* What the header says of the session. */
static quire_status read_header(struct reading *r, quire_bytes line,
                                quire_error *err)
{
    struct json_want wants[] = {JSON_WANT("id"), JSON_WANT("cwd"),
                                JSON_WANT("agent")};
    quire_bytes id, cwd;

    json_pick(line, wants, 3, NULL);
    id = json_kind(wants[0].value) == JSON_STRING
             ? json_text(wants[0].value, r->keep)
             : bytes_of("", 0);
    cwd = json_kind(wants[1].value) == JSON_STRING
              ? json_text(wants[1].value, r->keep)
              : bytes_of("", 0);
    r->source->session = arena_text(r->keep, id);
    r->source->project = arena_text(r->keep, cwd);
    r->source->created_us = r->head.time_us;
    if (json_kind(wants[2].value) == JSON_STRING) /* it was imported */
        r->source->agent = arena_text(r->keep,
                                      json_text(wants[2].value, r->keep));
    if (!r->source->session || !r->source->project || !r->source->agent)
        return err_memory(err);
    r->place.group = search_group(r->source->session);
    return QUIRE_OK;
}

/* Only one branch as long as each entry is below the one before. */
static void follow_branch(struct reading *r)
{
    quire_bytes id = r->head.id;

    if (r->last_id.len > 0 && !bytes_equal(r->last_id, r->head.parent))
        r->source->flags |= SOURCE_BRANCHED;
    if (id.len > 0 && id.len < sizeof r->last) {
        memcpy(r->last, id.data, id.len);
        r->last_id = bytes_of(r->last, id.len);
    }
}

static quire_status read_line(struct reading *r, const struct jsonl_value *v,
                              quire_error *err)
{
    quire_status st;

    r->place.offset = v->at;
    r->place.length = (uint32_t)v->text.len;
    if (json_is(v->head.type, "session")) {
        /* The group of its texts must be known before. */
        r->head = (struct entry_text_head){.time_us = 0};
        st = read_header(r, v->text, err);
        if (st)
            return st;
    }
    st = entry_texts(v->text, &r->u->x->scratch, &r->head, add_entry_text, r,
                     err);
    if (!st && bytes_is(r->head.type, "session"))
        r->source->created_us = r->head.time_us;
    else if (!st && r->head.id.len > 0)
        follow_branch(r);
    if (!st && r->head.time_us > r->source->modified_us)
        r->source->modified_us = r->head.time_us;
    return st;
}

/* Write what was added so far, if it is much, and remember how far the session is
 * read. */
static quire_status flush_some(struct reading *r, uint64_t at, struct log *log,
                               quire_error *err);

/* A digest of the bytes before `at`, and of the last id. */
static quire_status make_tail(struct log *log, uint64_t at, quire_bytes last,
                              uint8_t tail[SOURCE_TAIL], quire_error *err)
{
    uint8_t bytes[TAIL_BYTES];
    uint64_t from = at > TAIL_BYTES ? at - TAIL_BYTES : 0;
    struct sha256_ctx sha;
    size_t n = 0;
    quire_status st = log_read(log, from, bytes, (size_t)(at - from), &n, err);

    sha256_init(&sha);
    sha256_update(&sha, n, bytes);
    sha256_digest(&sha, 16, tail);
    sha256_init(&sha);
    if (last.len)
        sha256_update(&sha, last.len, last.data);
    sha256_digest(&sha, 16, tail + 16);
    return st;
}

static quire_status save_source(struct reading *r, uint64_t at, struct log *log,
                                quire_error *err)
{
    struct source *s = r->source;
    quire_status st = make_tail(log, at, r->last_id, s->tail, err);

    s->size = at;
    s->title = r->title[0] ? r->title : s->title;
    return st ? st : engine_put_source(r->u->to, s, err);
}

static quire_status flush_some(struct reading *r, uint64_t at, struct log *log,
                               quire_error *err)
{
    quire_status st = save_source(r, at, log, err);

    return st ? st : engine_flush(r->u->to, err);
}

/* A line that is not complete yet is read by a later update. */
static bool is_unfinished(const struct jsonl_value *v)
{
    return v->open_end && v->kind;
}

static quire_status read_lines(struct reading *r, struct log *log,
                               uint64_t from, quire_error *err)
{
    struct jsonl_value v;
    struct jsonl j;
    uint64_t at = from;
    bool more = true;
    quire_status st = QUIRE_OK;

    jsonl_init(&j, log, from, 1, false);
    while (!st) {
        st = jsonl_next(&j, &v, &more, err);
        if (st || !more || is_unfinished(&v))
            break;
        if (v.text.len > 0 && v.is_object)
            st = read_line(r, &v, err);
        if (!st)
            st = step_progress(r->u, v.at + v.text.len - at);
        at = v.at + v.text.len;
        if (!st && engine_is_full(r->u->to))
            st = flush_some(r, at, log, err);
    }
    jsonl_release(&j);
    return st ? st : save_source(r, at, log, err);
}

/* Whether the indexed bytes are still there, and what follows is new. */
static quire_status is_grown(const struct source *known,
                             const struct object_info *info, struct log *log,
                             bool *grown, quire_error *err)
{
    uint8_t tail[SOURCE_TAIL];
    quire_status st = QUIRE_OK;

    *grown = known->inode == info->inode && info->size >= known->size;
    if (*grown)
        st = make_tail(log, known->size, bytes_of("", 0), tail, err);
    if (*grown && !st)
        *grown = !memcmp(tail, known->tail, 16);
    return st;
}

/* A title slot is written in place: then the file has to be read anew. */
static quire_status title_changed(struct log *log, const struct source *known,
                                  bool *changed, quire_error *err)
{
    char head[256];
    struct json_want wants[] = {JSON_WANT("type"), JSON_WANT("title")};
    struct arena tmp = ARENA_INIT;
    size_t n = 0;
    quire_bytes title;
    quire_status st = log_read(log, 0, head, sizeof head, &n, err);

    *changed = false;
    if (!st && json_head(bytes_of(head, n), wants, 2, NULL) &&
        json_is(wants[0].value, "title") &&
        json_kind(wants[1].value) == JSON_STRING) {
        title = json_text(wants[1].value, &tmp);
        *changed = title.len > 0 && title.len <= TITLE_MAX &&
                   !bytes_is(title, known->title);
    }
    arena_release(&tmp);
    return st;
}

/* Go on with a session, or read it anew. */
static quire_status choose_start(struct updating *u, const char *name,
                                 const struct object_info *info,
                                 struct log *log, struct arena *keep,
                                 struct source *s, struct reading *r,
                                 quire_error *err)
{
    struct source known;
    struct engine *of = NULL;
    bool grown = false, renamed = false;
    quire_status st = find_known(u, SOURCE_SESSION, name, keep, &known, &of,
                                 err);

    if (st == QUIRE_NOT_FOUND)
        return QUIRE_OK;
    if (!st)
        st = is_grown(&known, info, log, &grown, err);
    if (!st && grown)
        st = title_changed(log, &known, &renamed, err);
    if (st)
        return st;
    if (!grown || renamed)
        return drop_known(u, SOURCE_SESSION, name, err);
    *s = known;
    if (of != u->to)
        s->number = 0;
    snprintf(r->title, sizeof r->title, "%s", known.title);
    r->titled = true; /* a new name is in the new lines */
    r->place.group = search_group(known.session);
    return QUIRE_OK;
}

static quire_status read_session(struct updating *u, const struct listed *f,
                                 quire_error *err)
{
    struct arena keep = ARENA_INIT;
    struct source s = {.kind = SOURCE_SESSION,
                       .key = f->name,
                       .session = "",
                       .title = "",
                       .project = "",
                       .agent = u->x->q->kind == QUIRE_KIND_OMP ? "omp" : ""};
    struct reading r = {.u = u, .source = &s, .keep = &keep};
    struct object_info info;
    struct log *log = NULL;
    quire_status st = log_open(u->x->q->all->logs, f->name, LOG_READ, &log,
                               &info, err);

    if (st == QUIRE_NOT_FOUND)
        return QUIRE_OK;
    /* The index may have a newer state of the file than the list. */
    if (!st)
        st = choose_start(u, f->name, &info, log, &keep, &s, &r, err);
    s.key = f->name;
    s.inode = info.inode;
    s.file_size = info.size;
    s.mtime_ns = info.modified_ns;
    s.ctime_ns = info.changed_ns;
    /* A clock that has not ticked since: compare again next time. */
    if (u->now_ns - info.modified_ns < FRESH_NS)
        s.mtime_ns = 0;
    s.flags = (s.flags & ~(unsigned)SOURCE_ARCHIVED) |
              (f->archived ? SOURCE_ARCHIVED : 0u);
    if (!st)
        st = engine_put_source(u->to, &s, err);
    r.place.source = s.number;
    if (!st)
        st = read_lines(&r, log, s.size, err);
    if (log)
        log_close(log);
    if (!st)
        mark_seen(u, s.number);
    arena_release(&keep);
    return st;
}

/* ---- outputs --------------------------------------------------------------------------- */

/* "sessions/--x--/t_id/3.bash.log": the session's file, and the parts of the name. */
static quire_status output_session(struct updating *u, const struct listed *f,
                                   struct arena *keep, struct source *s,
                                   quire_error *err)
{
    const char *base = strrchr(f->name, '/');
    struct source session;
    struct engine *of;
    char *file;
    quire_status st;

    file = arena_printf(keep, "%.*s.jsonl", (int)(base - f->name), f->name);
    if (!file)
        return err_memory(err);
    st = find_known(u, SOURCE_SESSION, file, keep, &session, &of, err);
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

static quire_status read_output(struct updating *u, const struct listed *f,
                                quire_error *err)
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
    uint64_t len = f->info.size < OUTPUT_MAX ? f->info.size : OUTPUT_MAX;
    struct buf *bytes = &u->x->text;
    struct log *log = NULL;
    size_t n = 0;
    quire_status st = drop_known(u, SOURCE_OUTPUT, f->name, err);

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
        st = step_progress(u, f->info.size);
    if (log)
        log_close(log);
    if (!st)
        mark_seen(u, s.number);
    arena_release(&keep);
    return st == QUIRE_NOT_FOUND ? QUIRE_OK : st;
}

/* ---- conversations of JP ------------------------------------------------------------------ */

struct conversing {
    struct updating *u;
    struct source *source;
};

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

    if (event->time_us > k->source->modified_us)
        k->source->modified_us = event->time_us;
    return engine_add(k->u->to, &text, &place, t->tool, t->model, err);
}

/* A conversation that has changed is read anew. */
static quire_status read_conversation(struct updating *u,
                                      const struct listed *f, quire_error *err)
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
    struct conversing k = {u, &s};
    quire_status st = s.session && s.title
                          ? drop_known(u, SOURCE_JP, f->name, err)
                          : err_memory(err);

    if (!st)
        st = engine_put_source(u->to, &s, err);
    if (!st)
        st = search_jp_texts(q, f->name, add_event_text, &k, err);
    if (!st)
        st = engine_put_source(u->to, &s, err);
    if (!st)
        st = step_progress(u, f->info.size);
    if (!st)
        mark_seen(u, s.number);
    arena_release(&keep);
    return st == QUIRE_NOT_FOUND ? QUIRE_OK : st;
}

/* ---- files ------------------------------------------------------------------------------ */

static bool ends_in(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);

    return n >= m && !strcmp(text + n - m, end);
}

/* Sessions are two levels below their root, outputs three. */
static unsigned depth_of(const char *name)
{
    unsigned n = 0;

    for (; *name; name++)
        n += *name == '/';
    return n;
}

static quire_status add_file(void *ctx, const char *name,
                             const struct object_info *info, quire_error *err)
{
    struct updating *u = ctx;
    bool archived = !strncmp(name, "archive/", 8);
    unsigned depth = depth_of(name) - archived;
    const char *base = strrchr(name, '/');
    struct listed *more, f = {.info = *info, .archived = archived};

    if (!strncmp(name, SEARCH_JP_ROOT "/", sizeof SEARCH_JP_ROOT)) {
        f.kind = SOURCE_JP;
        if (!search_jp_is_file(name, &f.archived))
            return QUIRE_OK;
    } else if (depth == 3 && output_dir_is_output(base + 1)) {
        f.kind = SOURCE_OUTPUT;
    } else if (depth == 2 && ends_in(name, ".jsonl")) {
        f.kind = SOURCE_SESSION;
    } else {
        return QUIRE_OK;
    }
    if (u->n_files == u->cap_files) {
        size_t cap = u->cap_files ? 2 * u->cap_files : 256;

        more = realloc(u->files, cap * sizeof *more);
        if (!more)
            return err_memory(err);
        u->files = more;
        u->cap_files = cap;
    }
    f.name = arena_text(&u->keep, bytes_str(name));
    if (!f.name)
        return err_memory(err);
    u->files[u->n_files++] = f;
    return QUIRE_OK;
}

static quire_status list_files(struct updating *u, quire_error *err)
{
    static const char *const roots[] = {"sessions", "archive/sessions",
                                        SEARCH_JP_ROOT};
    bool jp = u->x->q->kind == QUIRE_KIND_JP;
    quire_status st = need_all(u->x->q, err);
    int i;

    for (i = jp ? 2 : 0; i < 2 + jp && !st; i++) {
        st = object_list(u->x->q->all->objects, roots[i], add_file, u, err);
        if (st == QUIRE_NOT_FOUND)
            st = QUIRE_OK;
    }
    return st;
}

/* The engine in memory has the end of a file, the home's what is before it. */
static void mark_home(struct updating *u, const struct listed *f,
                      struct arena *tmp)
{
    struct source s;

    if (u->x->home &&
        !engine_find_source(u->x->home, f->kind, f->name, tmp, &s, NULL))
        mark_seen(u, s.number);
}

/* Leave in the list what is new or changed; *bytes of it is to be read. */
static quire_status select_changed(struct updating *u, uint64_t *bytes,
                                   quire_error *err)
{
    struct arena tmp = ARENA_INIT;
    size_t i, n = 0;
    quire_status st = QUIRE_OK;

    *bytes = 0;
    for (i = 0; i < u->n_files && !st; i++) {
        const struct listed *f = &u->files[i];
        struct source known;
        struct engine *of = NULL;

        arena_reset(&tmp);
        st = find_known(u, f->kind, f->name, &tmp, &known, &of, err);
        if (!st) {
            mark_seen(u, known.number);
            if (of == u->x->pending)
                mark_home(u, f, &tmp);
            if (known.inode == f->info.inode &&
                known.file_size == f->info.size &&
                known.mtime_ns == f->info.modified_ns &&
                known.ctime_ns == f->info.changed_ns)
                continue;
        } else if (st == QUIRE_NOT_FOUND) {
            known.size = 0;
            st = QUIRE_OK;
        }
        *bytes += f->info.size > known.size ? f->info.size - known.size : 0;
        u->files[n++] = *f;
    }
    u->n_files = n;
    arena_release(&tmp);
    return st;
}

static quire_status read_file(struct updating *u, const struct listed *f,
                              quire_error *err)
{
    return f->kind == SOURCE_OUTPUT ? read_output(u, f, err)
           : f->kind == SOURCE_JP   ? read_conversation(u, f, err)
                                    : read_session(u, f, err);
}

/* Sessions first: outputs take title and project from them. */
static quire_status read_files(struct updating *u, quire_error *err)
{
    quire_status st = QUIRE_OK;
    size_t i;
    int pass;

    for (pass = 0; pass < 2; pass++) {
        for (i = 0; i < u->n_files && !st; i++) {
            if ((u->files[i].kind == SOURCE_OUTPUT) != (pass == 1))
                continue;
            if (u->p && u->p->max && u->p->done >= u->p->max) {
                u->p->more = true;
                return QUIRE_OK;
            }
            st = read_file(u, &u->files[i], err);
            if (!st && engine_is_full(u->to))
                st = engine_flush(u->to, err);
        }
    }
    return st;
}

/* ---- what is gone ------------------------------------------------------------------------- */

struct dropping {
    struct updating *u;
    int which;       /* engine */
    struct buf list; /* uint32_t */
};

static quire_status add_unseen(void *ctx, const struct source *s,
                               quire_error *err)
{
    struct dropping *k = ctx;
    struct updating *u = k->u;

    if (s->number >= u->first[k->which] && s->number < u->end[k->which] &&
        !u->seen[k->which][s->number - u->first[k->which]])
        buf_add(&k->list, &s->number, sizeof s->number);
    return k->list.failed ? err_memory(err) : QUIRE_OK;
}

static quire_status list_unseen(struct updating *u, enum source_kind kind,
                                int which, struct buf *list, quire_error *err)
{
    struct engine *list_of[SEARCH_ENGINES] = {u->x->home, u->x->pending};
    struct dropping k = {u, which, BUF_INIT(SIZE_MAX)};
    quire_status st = engine_sources(list_of[which], kind, add_unseen, &k, err);

    *list = k.list;
    return st;
}

static quire_status drop_unseen(struct updating *u, enum source_kind kind,
                                quire_error *err)
{
    struct engine *list_of[SEARCH_ENGINES] = {u->x->home, u->x->pending};
    quire_status st = QUIRE_OK;
    int which;

    for (which = 0; which < SEARCH_ENGINES && !st; which++) {
        struct buf list = BUF_INIT(SIZE_MAX);
        const uint32_t *numbers;
        size_t i;

        if (!u->seen[which])
            continue;
        st = list_unseen(u, kind, which, &list, err);
        numbers = (const uint32_t *)(const void *)list.data;
        for (i = 0; i < list.len / sizeof *numbers && !st; i++)
            st = drop_source(u, list_of[which], numbers[i], err);
        buf_release(&list);
    }
    return st;
}

/* How many sources of a kind are gone. */
static quire_status count_unseen(struct updating *u, enum source_kind kind,
                                 size_t *n, quire_error *err)
{
    quire_status st = QUIRE_OK;
    int which;

    for (which = 0; which < SEARCH_ENGINES && !st; which++) {
        struct buf list = BUF_INIT(SIZE_MAX);

        if (!u->seen[which])
            continue;
        st = list_unseen(u, kind, which, &list, err);
        *n += list.len / sizeof(uint32_t);
        buf_release(&list);
    }
    return st;
}

/* ---- the update --------------------------------------------------------------------------- */

static quire_status prepare_seen(struct updating *u, quire_error *err)
{
    struct engine *list[SEARCH_ENGINES] = {u->x->home, u->x->pending};
    int i;

    for (i = 0; i < SEARCH_ENGINES; i++) {
        if (!list[i])
            continue;
        engine_source_range(list[i], &u->first[i], &u->end[i]);
        u->seen[i] = calloc(u->end[i] - u->first[i] + 1, 1);
        if (!u->seen[i])
            return err_memory(err);
    }
    return QUIRE_OK;
}

static quire_status apply(struct updating *u, quire_error *err)
{
    quire_status st = engine_begin(u->to, err);

    if (st)
        return st;
    st = read_files(u, err);
    if (!st)
        st = drop_unseen(u, SOURCE_SESSION, err);
    if (!st)
        st = drop_unseen(u, SOURCE_OUTPUT, err);
    if (!st)
        st = drop_unseen(u, SOURCE_JP, err);
    return engine_end(u->to, st, err);
}

/* Compare the files with the sources, in one transaction. */
static quire_status compare_files(struct updating *u, uint64_t *bytes,
                                  size_t *gone, quire_error *err)
{
    struct engine *home = u->x->home;
    quire_status st = home ? engine_hold(home, err) : QUIRE_OK;

    if (st)
        return st;
    st = select_changed(u, bytes, err);
    if (!st)
        st = count_unseen(u, SOURCE_SESSION, gone, err);
    if (!st)
        st = count_unseen(u, SOURCE_OUTPUT, gone, err);
    if (home)
        engine_release(home);
    return st;
}

static void release_update(struct updating *u)
{
    free(u->files);
    free(u->seen[0]);
    free(u->seen[1]);
    arena_release(&u->keep);
}

/* Whether the files are those of the last update, all of which were indexed then: no
 * source need be looked up. Keeps the digest of the list. */
static bool is_same_list(struct updating *u)
{
    struct search_index *x = u->x;
    struct sha256_ctx sha;
    uint8_t digest[sizeof x->list];
    bool same;
    size_t i;

    sha256_init(&sha);
    for (i = 0; i < u->n_files; i++) {
        const struct listed *f = &u->files[i];

        sha256_update(&sha, strlen(f->name) + 1, (const uint8_t *)f->name);
        sha256_update(&sha, sizeof f->info, (const uint8_t *)&f->info);
    }
    sha256_digest(&sha, sizeof digest, digest);
    same = x->list_known && !memcmp(digest, x->list, sizeof digest);
    memcpy(x->list, digest, sizeof digest);
    return same;
}

/* Whether the watch has noticed no change since all files were indexed. It is read
 * before files are listed: what changes meanwhile is seen by the next update. */
static bool is_unchanged(struct search_index *x)
{
    struct search_watch_state now = {{0}};
    bool known = search_watch_read(x->q, &now);
    bool same = known && x->list_known && x->is_watched &&
                !memcmp(&now, &x->watched, sizeof now);

    x->watched = now;
    x->is_watched = known;
    return same;
}

/* One attempt: search_update() tries again if another writer came between. */
quire_status search_update_files(struct search_index *x,
                                 enum search_target target,
                                 struct search_progress *p, quire_error *err)
{
    struct updating u = {.x = x,
                         .p = p,
                         .now_ns = clock_us(&x->q->clock) * 1000};
    uint64_t bytes = 0;
    size_t gone = 0;
    quire_status st;

    if (is_unchanged(x))
        return QUIRE_OK;
    st = list_files(&u, err);
    if (!st && is_same_list(&u)) {
        release_update(&u);
        return QUIRE_OK;
    }
    if (!st)
        st = prepare_seen(&u, err);
    if (!st)
        st = compare_files(&u, &bytes, &gone, err);
    x->list_known = !st && u.n_files == 0 && gone == 0;
    if (!st && (u.n_files > 0 || gone > 0)) {
        if (p)
            p->total = bytes;
        st = search_choose_engine(x, target, bytes, &u.to, err);
        if (!st && u.to == x->home && x->pending) {
            /* All of it is read again, from the state of the home's index. */
            release_update(&u);
            search_drop_pending(x);
            return search_update_files(x, TARGET_HOME, p, err);
        }
        if (!st)
            st = apply(&u, err);
    }
    release_update(&u);
    return st;
}
