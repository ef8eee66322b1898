/*
 * mem.c - /mem: memory entries and relations
 *
 * An entry on a line is
 *
 *     - #12  [reference] (2026-11-16)  Findings report [report, q3]  (source: agent)
 *
 * in lists, "#12 [reference] Findings report" alone, and a relation "#12
 * --[refines]--> #7".
 */
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "base/err.h"
#include "base/json.h"
#include "base/timestamp.h"
#include "slash/priv.h"

enum {
    SUPERSEDES_MAX = 32,
    EXPAND_NODES = 50,
    EXPAND_DEPTH = 2,
    RELATIONS_SHOWN = 50,
    ENTRIES_SHOWN = 50,
    PAGE = 1000,
};

/* ---- lines of a reply --------------------------------------------------- */

static void add_tags(struct buf *out, const char *tags, struct arena *tmp)
{
    struct json_scan it;
    bool any = false;

    json_iter_init(&it, bytes_str(tags));
    while (json_next(&it)) {
        quire_bytes tag = json_text(it.value, tmp);

        buf_add_str(out, any ? ", " : " [");
        reply_add_shown(out, tag, ARGS_SHOWN);
        any = true;
    }
    if (any)
        buf_add_char(out, ']');
}

static void add_entry(struct turn *t, const quire_memory *e)
{
    struct buf *out = &t->answer.text;
    char when[TIMESTAMP_SIZE];

    timestamp_format(e->created_us, when);
    when[strcspn(when, "T")] = '\0';
    reply_add_line(&t->answer, "- #%lld  [%s] (%s)  ", (long long)e->id,
                   quire_memory_type_name(e->type), when);
    reply_add_shown(out, e->title, ARGS_SHOWN);
    add_tags(out, e->tags, &t->tmp);
    if (e->source.len > 0) {
        buf_add_str(out, "  (source: ");
        reply_add_shown(out, e->source, ARGS_SHOWN);
        buf_add_char(out, ')');
    }
}

/* The first line of /mem entry. */
static void add_heading(struct turn *t, const quire_memory *e)
{
    if (t->o.style == QUIRE_SLASH_ARBITER) {
        add_entry(t, e);
        return;
    }
    reply_add_line(&t->answer, "#%lld [%s] ", (long long)e->id,
                   quire_memory_type_name(e->type));
    reply_add_shown(&t->answer.text, e->title, ARGS_SHOWN);
    add_tags(&t->answer.text, e->tags, &t->tmp);
}

static void add_source(struct turn *t, quire_bytes source)
{
    if (t->o.style == QUIRE_SLASH_ARBITER || source.len == 0)
        return;
    reply_add_line(&t->answer, "source: ");
    reply_add_shown(&t->answer.text, source, ARGS_SHOWN);
}

static void add_relation(struct turn *t, const quire_relation *r)
{
    reply_add_line(&t->answer, "  #%lld --[%s]--> #%lld", (long long)r->source,
                   quire_relation_name(r->kind), (long long)r->target);
}

/* State of the callbacks below. */
struct listing {
    struct turn *turn;
    uint64_t n, n_relations;
    uint64_t max; /* entries to show; 0: all        */
    bool quiet;   /* count only                     */
    int64_t last;
};

static quire_status emit_entry(void *ctx, const quire_memory *e,
                               quire_error *err)
{
    struct listing *l = ctx;

    l->n++;
    if (!l->quiet && (!l->max || l->n <= l->max))
        add_entry(l->turn, e);
    return l->turn->answer.text.failed ? err_memory(err) : QUIRE_OK;
}

static quire_status emit_relation(void *ctx, const quire_relation *r,
                                  quire_error *err)
{
    struct listing *l = ctx;

    if (!l->quiet && l->n_relations == 0)
        reply_add_line(&l->turn->answer, "relations:");
    l->n_relations++;
    l->last = r->id;
    if (!l->quiet)
        add_relation(l->turn, r);
    return l->turn->answer.text.failed ? err_memory(err) : QUIRE_OK;
}

/* Discard a partial reply and report the error. */
static quire_status replace_with_error(struct turn *t, const quire_error *cause,
                                       quire_error *err)
{
    buf_clear(&t->answer.text);
    t->answer.cut = CUT_NOTHING;
    return reply_error(&t->answer, cause, err);
}

static quire_status report_usage(struct turn *t, const char *form)
{
    reply_fail(&t->answer, QUIRE_INVALID, "usage",
               "malformed arguments "
               "'%s'; write %s",
               reply_shown(t, t->command->args), form);
    return QUIRE_OK;
}

/* QUIRE_NOT_FOUND gets a message of its own. */
static quire_status report_missing_entry(struct turn *t, int64_t id,
                                         const quire_error *cause,
                                         quire_error *err)
{
    if (cause->status != QUIRE_NOT_FOUND)
        return replace_with_error(t, cause, err);
    reply_fail(&t->answer, QUIRE_NOT_FOUND, NULL,
               "memory entry #%lld not found, or not valid any more",
               (long long)id);
    return QUIRE_OK;
}

/* Parse arguments that are a single id. */
static bool parse_single_id(const struct turn *t, int64_t *id)
{
    quire_bytes rest = t->command->args;

    return slash_id(slash_word(&rest), id) && rest.len == 0;
}

/* ---- /mem add entry ----------------------------------------------------- */

struct new_entry {
    quire_memory_options o;
    int64_t supersedes[SUPERSEDES_MAX];
};

/* "#1,#2". */
static bool read_ids(quire_bytes list, struct new_entry *e)
{
    size_t at = 0, i;

    for (i = 0; i <= list.len; i++) {
        if (i < list.len && ((const char *)list.data)[i] != ',')
            continue;
        if (e->o.n_supersedes == SUPERSEDES_MAX ||
            !slash_id(bytes_sub(list, at, i),
                      &e->supersedes[e->o.n_supersedes++]))
            return false;
        at = i + 1;
    }
    return true;
}

static bool is_flag(quire_bytes word)
{
    return bytes_is(word, "--artifact") || bytes_is(word, "--supersedes");
}

static bool read_flags(quire_bytes rest, struct new_entry *e)
{
    while (rest.len > 0) {
        bool artifact = bytes_is(slash_word(&rest), "--artifact");
        quire_bytes value = slash_word(&rest);

        if (artifact ? !slash_id(value, &e->o.artifact) || !e->o.artifact
                     : !read_ids(value, e))
            return false;
        /* Only another option may follow a value. */
        if (rest.len > 0) {
            quire_bytes ahead = rest;

            if (!is_flag(slash_word(&ahead)))
                return false;
        }
    }
    e->o.supersedes = e->o.n_supersedes ? e->supersedes : NULL;
    return true;
}

/* The title goes up to the first option, or to the end. */
static bool read_title(quire_bytes rest, struct new_entry *e)
{
    const char *title = rest.data;
    size_t len = 0;

    while (rest.len > 0) {
        quire_bytes ahead = rest, word = slash_word(&ahead);

        if (is_flag(word))
            break;
        len = (size_t)((const char *)word.data - title) + word.len;
        rest = ahead;
    }
    e->o.title = bytes_of(title, len);
    return len > 0 && read_flags(rest, e);
}

static bool is_blank(quire_bytes text)
{
    const char *c = text.data;
    size_t i;

    for (i = 0; i < text.len && strchr(" \t\r\n\v\f", c[i]) && c[i]; i++)
        ;
    return i == text.len;
}

/* Parse the command. If that fails, the reply reports why and *fine is false. */
static quire_status read_entry(struct turn *t, struct new_entry *e, bool *fine,
                               quire_error *err)
{
    static const char form[] =
        "/mem add entry <type> <title> [--artifact #<id>] [--supersedes "
        "#<id>,#<id>], the text below it, and /endmem";
    quire_bytes rest = t->command->args;
    quire_bytes type = slash_word(&rest);
    quire_error cause = {.status = QUIRE_OK};

    *fine = false;
    e->o.content = slash_content(t->command->body, &t->content);
    if (t->content.failed)
        return err_memory(err);
    if (!type.len || !read_title(rest, e))
        return report_usage(t, form);
    if (quire_memory_type_of(type, &e->o.type, &cause))
        return reply_error(&t->answer, &cause, err);
    if (is_blank(e->o.content))
        reply_fail(&t->answer, QUIRE_INVALID, "usage",
                   "body is missing; write %s", form);
    else if (e->o.content.len > ENTRY_BODY_MAX)
        reply_fail(&t->answer, QUIRE_TOO_LARGE, NULL,
                   "body size %zu exceeds per-entry cap %d bytes; keep it as "
                   "an artifact, and link that",
                   e->o.content.len, ENTRY_BODY_MAX);
    else if (e->o.artifact && !t->session)
        reply_fail(&t->answer, QUIRE_INVALID, "unavailable",
                   "--artifact requested but artifact store is unavailable: "
                   "no session");
    else
        *fine = true;
    return QUIRE_OK;
}

quire_status slash_add_entry(struct turn *t, quire_error *err)
{
    struct new_entry e = {.o = QUIRE_MEMORY_OPTIONS_INIT};
    quire_error cause = {.status = QUIRE_OK};
    quire_memory made;
    quire_status st;
    bool fine;
    size_t i;

    st = read_entry(t, &e, &fine, err);
    if (st || !fine)
        return st;
    e.o.source = bytes_str("agent");
    if (quire_memory_add(t->q, t->session, &e.o, &made, &cause))
        return reply_error(&t->answer, &cause, err);
    t->answer.id = made.id;
    reply_add_line(&t->answer, "OK: added entry #%lld [%s] ",
                   (long long)made.id, quire_memory_type_name(e.o.type));
    reply_add_shown(&t->answer.text, e.o.title, ARGS_SHOWN);
    if (e.o.artifact)
        buf_addf(&t->answer.text, " (linked to artifact #%lld)",
                 (long long)e.o.artifact);
    for (i = 0; i < e.o.n_supersedes; i++)
        buf_addf(&t->answer.text, "%s#%lld%s", i ? ", " : " (supersedes ",
                 (long long)e.supersedes[i],
                 i + 1 == e.o.n_supersedes ? ")" : "");
    return QUIRE_OK;
}

/* ---- /mem add link, /mem invalidate ------------------------------------- */

quire_status slash_add_link(struct turn *t, quire_error *err)
{
    quire_bytes rest = t->command->args;
    quire_bytes from = slash_word(&rest), name = slash_word(&rest);
    quire_relation made = {.id = 0};
    quire_relation_kind kind;
    quire_error cause = {.status = QUIRE_OK};
    int64_t source, target;
    quire_status st;

    if (!slash_id(from, &source) || !slash_id(slash_word(&rest), &target) ||
        rest.len > 0)
        return report_usage(t, "/mem add link <id> <relation> <id>");
    st = quire_relation_of(name, &kind, &cause);
    if (!st)
        st = quire_relation_add(t->q, source, kind, target, &made, &cause);
    t->answer.id = made.id;
    if (st == QUIRE_EXISTS)
        reply_fail(&t->answer, st, NULL,
                   "relation #%lld already exists: #%lld --[%s]--> #%lld",
                   (long long)made.id, (long long)source,
                   quire_relation_name(kind), (long long)target);
    else if (st)
        return reply_error(&t->answer, &cause, err);
    else
        reply_add_line(&t->answer,
                       "OK: added relation #%lld: #%lld --[%s]--> #%lld",
                       (long long)made.id, (long long)source,
                       quire_relation_name(kind), (long long)target);
    return QUIRE_OK;
}

quire_status slash_invalidate(struct turn *t, quire_error *err)
{
    quire_error cause = {.status = QUIRE_OK};
    int64_t id;

    if (!parse_single_id(t, &id))
        return report_usage(t, "/mem invalidate <id>");
    if (quire_memory_invalidate(t->q, id, 0, &cause))
        return report_missing_entry(t, id, &cause, err);
    t->answer.id = id;
    reply_add_line(
        &t->answer,
        "OK: invalidated entry #%lld (kept for questions about the past)",
        (long long)id);
    return QUIRE_OK;
}

/* ---- /mem entries, /mem search ------------------------------------------ */

/* "user,project". */
static quire_status read_types(quire_bytes list, unsigned *types,
                               quire_error *cause)
{
    size_t at = 0, i;
    quire_status st = QUIRE_OK;

    for (i = 0; !st && i <= list.len; i++) {
        quire_memory_type type;

        if (i < list.len && ((const char *)list.data)[i] != ',')
            continue;
        if (i > at) {
            st = quire_memory_type_of(bytes_sub(list, at, i), &type, cause);
            if (!st)
                *types |= 1u << type;
        }
        at = i + 1;
    }
    return st;
}

static bool take_prefix(quire_bytes *b, const char *prefix)
{
    size_t n = strlen(prefix);
    bool yes = bytes_starts(*b, bytes_str(prefix));

    if (yes)
        *b = bytes_sub(*b, n, b->len);
    return yes;
}

/* "user,project", "type=user", "tag=t"; the tag comes last and may have blanks. */
static quire_status read_filter(struct turn *t, quire_memory_list_options *o,
                                quire_error *cause)
{
    quire_bytes rest = t->command->args;
    quire_status st = QUIRE_OK;

    while (!st && rest.len > 0) {
        quire_bytes word;

        if (take_prefix(&rest, "tag=")) {
            o->tag = arena_text(&t->tmp, rest);
            if (!o->tag)
                st = err_memory(cause);
            else if (!*o->tag || strlen(o->tag) != rest.len)
                st = err_set(cause, QUIRE_INVALID,
                             "tag is empty or has a "
                             "NUL byte");
            break;
        }
        word = slash_word(&rest);
        if (!take_prefix(&word, "type="))
            take_prefix(&word, "types=");
        st = read_types(word, &o->types, cause);
    }
    return st;
}

quire_status slash_entries(struct turn *t, quire_error *err)
{
    quire_memory_list_options o = QUIRE_MEMORY_LIST_OPTIONS_INIT;
    struct listing l = {.turn = t, .max = ENTRIES_SHOWN};
    quire_error cause = {.status = QUIRE_OK};

    o.limit = ENTRIES_SHOWN + 1;
    t->answer.cut = CUT_LINES;
    if (read_filter(t, &o, &cause) ||
        quire_memory_list(t->q, &o, emit_entry, &l, &cause))
        return replace_with_error(t, &cause, err);
    if (l.n == 0)
        reply_add_line(&t->answer, t->command->args.len > 0
                                       ? "(no memory entries of that kind)"
                                       : "(no memory entries)");
    if (l.n > l.max)
        reply_add_line(&t->answer, "(these are the newest %d; there are more)",
                       ENTRIES_SHOWN);
    return QUIRE_OK;
}

quire_status slash_search(struct turn *t, quire_error *err)
{
    quire_recall_options o = QUIRE_RECALL_OPTIONS_INIT;
    struct listing l = {.turn = t};
    quire_error cause = {.status = QUIRE_OK};
    quire_status st;

    if (t->command->args.len == 0)
        return report_usage(t, "/mem search <words>");
    o.session = t->session;
    t->answer.cut = CUT_LINES;
    st = quire_memory_search(t->q, t->command->args, &o, emit_entry, &l, NULL,
                             &cause);
    if (st && st != QUIRE_NOT_FOUND)
        return replace_with_error(t, &cause, err);
    if (l.n == 0)
        reply_add_line(&t->answer, "(no memory entries match)");
    return QUIRE_OK;
}

/* ---- /mem entry --------------------------------------------------------- */

static void add_expired(struct turn *t, int64_t artifact)
{
    reply_add_line(&t->answer, "linked artifact:");
    reply_add_line(&t->answer, "  (link expired: artifact #%lld was deleted)",
                   (long long)artifact);
}

/* Add the artifact's line and the /read command that works in this session. */
static quire_status add_link(struct turn *t, int64_t entry, int64_t artifact,
                             quire_error *cause)
{
    quire_artifact_get_options o = QUIRE_ARTIFACT_GET_OPTIONS_INIT;
    quire_artifact a;
    bool here = t->session != NULL;
    quire_status st = QUIRE_NOT_FOUND;
    char which[32];

    snprintf(which, sizeof which, "#%lld", (long long)artifact);
    if (here)
        st = quire_artifact_stat(t->q, t->session, which, NULL, &a, cause);
    if (st == QUIRE_NOT_FOUND) {
        here = false;
        o.any_session = 1;
        st = quire_artifact_stat(t->q, t->session, which, &o, &a, cause);
    }
    if (st == QUIRE_NOT_FOUND)
        add_expired(t, artifact);
    if (st)
        return st == QUIRE_NOT_FOUND ? QUIRE_OK : st;
    reply_add_line(&t->answer, "linked artifact:");
    reply_add_line(&t->answer, "  %s  ", which);
    reply_add_shown(&t->answer.text, bytes_str(a.path), ARGS_SHOWN);
    buf_addf(&t->answer.text, "  (%llu bytes, mime=%s)",
             (unsigned long long)a.size, a.mime);
    if (here)
        reply_add_line(&t->answer, "  fetch with: /read %s", which);
    else if (t->session)
        reply_add_line(
            &t->answer,
            "  cross-conversation \xe2\x80\x94 fetch with: /read %s via=mem:%lld",
            which, (long long)entry);
    else
        reply_add_line(&t->answer, "  it can be read inside a session only");
    return QUIRE_OK;
}

struct edges {
    quire_relation list[RELATIONS_SHOWN];
    size_t n;
};

static quire_status take_edge(void *ctx, const quire_relation *r,
                              quire_error *err)
{
    struct edges *e = ctx;

    (void)err;
    if (e->n < RELATIONS_SHOWN)
        e->list[e->n++] = *r;
    return QUIRE_OK;
}

/* The title of the entry at the other end. */
static quire_status add_neighbour(struct turn *t, int64_t id,
                                  quire_error *cause)
{
    quire_memory e;
    quire_status st = quire_memory_get(t->q, id, 0, &e, cause);

    if (st && st != QUIRE_NOT_FOUND)
        return st;
    buf_add_str(&t->answer.text, "  ");
    if (st)
        buf_add_str(&t->answer.text, "(not valid any more)");
    else
        reply_add_shown(&t->answer.text, e.title, ARGS_SHOWN);
    return QUIRE_OK;
}

static quire_status add_edges(struct turn *t, int64_t id, quire_error *cause)
{
    quire_relation_list_options o = QUIRE_RELATION_LIST_OPTIONS_INIT;
    struct edges e = {.n = 0};
    quire_status st;
    size_t i;

    o.either = id;
    o.limit = RELATIONS_SHOWN;
    st = quire_relation_list(t->q, &o, take_edge, &e, cause);
    if (!st && e.n > 0)
        reply_add_line(&t->answer, "relations:");
    for (i = 0; i < e.n && !st; i++) {
        const quire_relation *r = &e.list[i];

        add_relation(t, r);
        st = add_neighbour(t, r->source == id ? r->target : r->source, cause);
    }
    return st;
}

/* Everything Quire adds comes before the text, which is untrusted. */
quire_status slash_entry(struct turn *t, quire_error *err)
{
    quire_error cause = {.status = QUIRE_OK};
    quire_status st = QUIRE_OK;
    quire_memory e;
    quire_bytes content, source;
    int64_t id;

    if (!parse_single_id(t, &id))
        return report_usage(t, "/mem entry <id>");
    if (quire_memory_get(t->q, id, 0, &e, &cause))
        return report_missing_entry(t, id, &cause, err);
    t->answer.id = id;
    t->answer.cut = CUT_BYTES;
    add_heading(t, &e);
    content = arena_dup(&t->tmp, e.content);
    source = arena_dup(&t->tmp, e.source);
    if ((e.content.len > 0 && !content.data) ||
        (e.source.len > 0 && !source.data))
        return err_memory(err);
    if (e.artifact)
        st = add_link(t, id, e.artifact, &cause);
    else if (e.expired_artifact)
        add_expired(t, e.expired_artifact);
    if (!st)
        st = add_edges(t, id, &cause);
    if (st)
        return replace_with_error(t, &cause, err);
    add_source(t, source);
    if (content.len > 0)
        reply_add_line(&t->answer, "\n");
    buf_add(&t->answer.text, content.data, content.len);
    return QUIRE_OK;
}

/* ---- /mem expand, /mem density ------------------------------------------ */

quire_status slash_expand(struct turn *t, quire_error *err)
{
    quire_graph_options o = QUIRE_GRAPH_OPTIONS_INIT;
    struct listing l = {.turn = t};
    quire_error cause = {.status = QUIRE_OK};
    quire_bytes rest = t->command->args;
    quire_bytes first = slash_word(&rest);
    int64_t depth = 1;

    take_prefix(&rest, "depth=");
    if (!slash_id(first, &o.around) || o.around == 0 ||
        (rest.len > 0 && (!slash_id(rest, &depth) || depth < 1)))
        return report_usage(t, "/mem expand <id> [depth], the depth 1 or 2");
    o.depth = depth > EXPAND_DEPTH ? EXPAND_DEPTH : (unsigned)depth;
    o.max_nodes = EXPAND_NODES;
    t->answer.cut = CUT_LINES;
    if (quire_memory_graph(t->q, &o, emit_entry, emit_relation, &l, &cause))
        return report_missing_entry(t, o.around, &cause, err);
    t->answer.id = o.around;
    if (l.n == EXPAND_NODES)
        reply_add_line(&t->answer, "(no more than %d entries are shown)",
                       EXPAND_NODES);
    return QUIRE_OK;
}

/* Count the relations that start or end at an entry. */
static quire_status count_relations(struct turn *t,
                                    quire_relation_list_options o, uint64_t *n,
                                    quire_error *cause)
{
    quire_status st;

    *n = 0;
    o.limit = PAGE;
    for (;;) {
        struct listing l = {.turn = t, .quiet = true};

        st = quire_relation_list(t->q, &o, emit_relation, &l, cause);
        *n += l.n_relations;
        o.before_id = l.last;
        if (st || l.n_relations < PAGE)
            return st;
    }
}

quire_status slash_density(struct turn *t, quire_error *err)
{
    quire_relation_list_options from = QUIRE_RELATION_LIST_OPTIONS_INIT;
    quire_relation_list_options to = QUIRE_RELATION_LIST_OPTIONS_INIT;
    quire_graph_options near = QUIRE_GRAPH_OPTIONS_INIT;
    struct listing l = {.turn = t, .quiet = true};
    quire_error cause = {.status = QUIRE_OK};
    uint64_t out = 0, in = 0;
    int64_t id;
    quire_status st;

    if (!parse_single_id(t, &id) || id == 0)
        return report_usage(t, "/mem density <id>");
    near.around = from.source = to.target = id;
    near.depth = 2;
    st = quire_memory_graph(t->q, &near, emit_entry, emit_relation, &l, &cause);
    if (!st)
        st = count_relations(t, from, &out, &cause);
    if (!st)
        st = count_relations(t, to, &in, &cause);
    if (st)
        return report_missing_entry(t, id, &cause, err);
    t->answer.id = id;
    reply_add_line(&t->answer,
                   "#%lld: out=%llu in=%llu reach=%llu (entries within "
                   "2 steps)",
                   (long long)id, (unsigned long long)out,
                   (unsigned long long)in, (unsigned long long)(l.n - 1));
    return QUIRE_OK;
}

/* ---- /mem with an unknown subcommand ------------------------------------- */

quire_status slash_mem(struct turn *t, quire_error *err)
{
    (void)err;
    return report_usage(
        t, "/mem add entry, add link, entries, entry, search, expand, "
           "density, invalidate; write, read, show, clear; or shared "
           "write, read, show, clear");
}
