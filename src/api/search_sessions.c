/*
 * search_sessions.c - index a session
 *
 * A session that has grown is read from where the index ends, if the bytes before that
 * place are still the same; else it is read anew.
 */
#include <stdio.h>
#include <string.h>

#include <nettle/sha2.h>

#include "api/search_files.h"
#include "api/search_turns.h"
#include "base/bytes.h"
#include "base/err.h"
#include "base/json.h"
#include "session/jsonl.h"

/* A file that changed this recently may change again without a new time. */
#define FRESH_NS INT64_C(20000000)

#define TAIL_BYTES ((size_t)256)
#define TITLE_MAX  ((size_t)120)

/* A session being read. */
struct reading {
    struct file_update *u;
    struct source *source;
    struct entry_text_head head;
    struct place place;
    struct turn_reader turns;
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
static quire_status follow_branch(struct reading *r, quire_error *err)
{
    struct turn_line line = {r->place.offset, r->head.id, r->head.parent,
                             r->head.is_prompt};

    if (line.id.len > 0 && turn_reader_branches(&r->turns, line.parent))
        r->source->flags |= SOURCE_BRANCHED;
    if (line.id.len == 0)
        line.parent = bytes_str(r->turns.last);
    return turn_reader_line(&r->turns, &line, err);
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
    else if (!st)
        st = follow_branch(r, err);
    if (!st && r->head.time_us > r->source->modified_us)
        r->source->modified_us = r->head.time_us;
    return st;
}

/* Write what was added so far, if it is much, and remember how far the session is
 * read. */
static quire_status flush_some(struct reading *r, uint64_t at, struct log *log,
                               quire_error *err);

/* A digest of the bytes before `at`. */
static quire_status make_tail(struct log *log, uint64_t at,
                              uint8_t tail[SOURCE_TAIL], quire_error *err)
{
    uint8_t bytes[TAIL_BYTES];
    uint64_t from = at > TAIL_BYTES ? at - TAIL_BYTES : 0;
    struct sha256_ctx sha;
    size_t n = 0;
    quire_status st = log_read(log, from, bytes, (size_t)(at - from), &n, err);

    sha256_init(&sha);
    sha256_update(&sha, n, bytes);
    sha256_digest(&sha, SOURCE_TAIL, tail);
    return st;
}

static quire_status save_source(struct reading *r, uint64_t at, struct log *log,
                                quire_error *err)
{
    struct source *s = r->source;
    quire_status st = make_tail(log, at, s->tail, err);

    s->size = at;
    s->title = r->title[0] ? r->title : s->title;
    if (!st)
        st = turn_reader_save(&r->turns, err);
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
            st = search_step_progress(r->u, v.at + v.text.len - at);
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
        st = make_tail(log, known->size, tail, err);
    if (*grown && !st)
        *grown = !memcmp(tail, known->tail, sizeof tail);
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
static quire_status choose_start(struct file_update *u, const char *name,
                                 const struct object_info *info,
                                 struct log *log, struct arena *keep,
                                 struct source *s, struct reading *r,
                                 quire_error *err)
{
    struct source known;
    struct engine *of = NULL;
    bool grown = false, renamed = false;
    quire_status st = search_find_known(u, SOURCE_SESSION, name, keep, &known,
                                        &of, err);

    if (st == QUIRE_NOT_FOUND)
        return QUIRE_OK;
    if (!st)
        st = is_grown(&known, info, log, &grown, err);
    if (!st && grown)
        st = title_changed(log, &known, &renamed, err);
    if (st)
        return st;
    if (!grown || renamed)
        return search_drop_known(u, SOURCE_SESSION, name, err);
    *s = known;
    if (of != u->to)
        s->number = 0;
    snprintf(r->title, sizeof r->title, "%s", known.title);
    r->titled = true; /* a new name is in the new lines */
    r->place.group = search_group(known.session);
    return turn_reader_continue(&r->turns, of, known.number, err);
}

quire_status search_read_session(struct file_update *u,
                                 const struct listed_file *f, quire_error *err)
{
    struct arena keep = ARENA_INIT;
    struct source s = {.kind = SOURCE_SESSION,
                       .key = f->name,
                       .session = "",
                       .title = "",
                       .project = "",
                       .agent = u->x->q->kind == QUIRE_KIND_OMP ? "omp" : ""};
    struct reading r = {.u = u,
                        .source = &s,
                        .keep = &keep,
                        .turns = {.x = u->x, .to = u->to, .source = &s}};
    struct object_info info;
    struct log *log = NULL;
    quire_status st = log_open(u->x->q->all->logs, f->name, LOG_READ, &log,
                               &info, err);

    if (st == QUIRE_NOT_FOUND)
        return QUIRE_OK;
    r.turns.log = log;
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
    turn_reader_release(&r.turns);
    if (log)
        log_close(log);
    if (!st)
        search_mark_seen(u, s.number);
    arena_release(&keep);
    return st;
}
