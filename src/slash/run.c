/*
 * run.c - run the commands of a turn in order
 *
 * Invariants:
 *
 *   (1) A command runs once, and sees the effects of those before it.
 *   (2) A command that is not allowed, not closed or beyond the budget has no
 *       effect: all three are checked first.
 *   (3) All replies together have at most `budget` bytes of content, except the
 *       few lines in which the last one reports what it did.
 */
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "base/err.h"
#include "base/utf8.h"
#include "slash/priv.h"

static quire_status (*const runners[])(struct turn *, quire_error *) = {
    [SLASH_WRITE] = slash_write,
    [SLASH_READ] = slash_read,
    [SLASH_LIST] = slash_list,
    [SLASH_ADD_ENTRY] = slash_add_entry,
    [SLASH_ADD_LINK] = slash_add_link,
    [SLASH_ENTRIES] = slash_entries,
    [SLASH_ENTRY] = slash_entry,
    [SLASH_SEARCH] = slash_search,
    [SLASH_EXPAND] = slash_expand,
    [SLASH_DENSITY] = slash_density,
    [SLASH_INVALIDATE] = slash_invalidate,
    [SLASH_PAD_WRITE] = slash_pad_write,
    [SLASH_PAD_READ] = slash_pad_read,
    [SLASH_PAD_CLEAR] = slash_pad_clear,
    [SLASH_SHARED_WRITE] = slash_shared_write,
    [SLASH_SHARED_READ] = slash_shared_read,
    [SLASH_SHARED_CLEAR] = slash_shared_clear,
    [SLASH_MEM] = slash_mem,
};

/* ---- permission and session --------------------------------------------- */

/* "mem search" is allowed by "mem" and by "mem search", not by "me". */
static bool is_allowed(const struct turn *t, const char *name)
{
    const char *const *one = t->o.allowed;

    if (!one)
        return true;
    for (; *one; one++) {
        size_t n = strlen(*one);

        if (n > 0 && !strncmp(*one, name, n) &&
            (name[n] == '\0' || name[n] == ' '))
            return true;
    }
    return false;
}

/* Resolve the session once: "last" may change between two commands. */
static quire_status find_session(struct turn *t, struct arena *keep,
                                 quire_error *err)
{
    const char *which = t->o.session, *path;
    quire_status st;

    t->session = which;
    if (!which || !strcmp(which, "user") || !strcmp(which, "temp"))
        return QUIRE_OK;
    st = quire_session_find(t->q, which, &path, err);
    if (st)
        return st;
    t->session = arena_text(keep, bytes_str(path));
    return t->session ? QUIRE_OK : err_memory(err);
}

static quire_status ignore_one(void *ctx, const quire_artifact *artifact,
                               quire_error *err)
{
    (void)ctx;
    (void)artifact;
    (void)err;
    return QUIRE_OK;
}

/* Fail early if the store cannot be read. */
static quire_status check_store(struct turn *t, quire_error *err)
{
    quire_artifact_list_options o = QUIRE_ARTIFACT_LIST_OPTIONS_INIT;

    o.limit = 1;
    return t->session ? quire_artifact_list(t->q, t->session, &o, ignore_one,
                                            NULL, err)
                      : QUIRE_OK;
}

/* ---- one command -------------------------------------------------------- */

/* How many bytes of the reply are shown. */
static size_t shown_bytes(const struct turn *t)
{
    const struct response *a = &t->answer;
    quire_bytes text = buf_bytes(&a->text);
    size_t keep;

    if (a->cut == CUT_NOTHING || text.len <= t->limit)
        return text.len;
    keep = utf8_cut(text, t->limit);
    while (a->cut == CUT_LINES && keep > 0 && a->text.data[keep - 1] != '\n')
        keep--;
    return keep;
}

/* The line below a truncated reply; NULL: out of memory. */
static const char *format_note(struct turn *t, size_t keep, uint64_t whole)
{
    const struct response *a = &t->answer;
    const char *part = a->from ? arena_printf(&t->tmp, "%zu bytes from %llu on",
                                              keep, (unsigned long long)a->from)
                               : arena_printf(&t->tmp, "the first %zu", keep);

    if (!part)
        return NULL;
    if (!a->next)
        return arena_printf(&t->tmp, "... [truncated: %s of %llu bytes]", part,
                            (unsigned long long)whole);
    return arena_printf(&t->tmp,
                        "... [truncated: %s of %llu bytes; read on with "
                        "%s%llu]",
                        part, (unsigned long long)a->from + whole, a->next,
                        (unsigned long long)a->from + keep);
}

static quire_status emit_reply(struct turn *t, uint64_t *left,
                               quire_slash_fn each, void *ctx, quire_error *err)
{
    struct response *a = &t->answer;
    struct buf block = BUF_INIT((size_t)1 << 31);
    size_t keep = shown_bytes(t);
    uint64_t whole = a->whole > a->text.len ? a->whole : a->text.len;
    quire_slash_reply reply = {
        .command = t->command->form->name,
        .args = t->command->args,
        .body = bytes_of(a->text.data, keep),
        .status = a->status,
        .kind = a->kind,
        .id = a->id,
        .line = t->command->line,
        .truncated = keep < whole,
        .mime = a->mime,
        .part = buf_bytes(&a->part),
    };
    const char *note = reply.truncated ? format_note(t, keep, whole) : NULL;
    size_t cost;
    quire_status st;

    if (reply.truncated && !note)
        return err_memory(err);
    reply_block(&block, t->command, reply.body, note);
    reply.block = buf_bytes(&block);
    /* A truncated reply uses up the budget: a line longer than the rest would
     * otherwise never reduce it. */
    cost = keep > REPLY_LEAST ? keep : REPLY_LEAST;
    if (*left < cost || (reply.truncated && t->limit == *left))
        *left = 0;
    else
        *left -= cost;
    st = block.failed || a->text.failed || a->part.failed
             ? err_memory(err)
             : each(ctx, &reply, err);
    buf_release(&block);
    return st;
}

static quire_status run_one(struct turn *t, quire_error *err)
{
    const struct slash_form *form = t->command->form;
    struct response *a = &t->answer;

    arena_reset(&t->tmp);
    buf_clear(&a->text);
    buf_clear(&a->part);
    a->cut = CUT_NOTHING;
    a->whole = a->from = t->skip = 0;
    a->next = NULL;
    a->status = QUIRE_OK;
    a->kind = "ok";
    a->id = 0;
    a->mime = NULL;
    if (!is_allowed(t, form->name)) {
        reply_fail(a, QUIRE_INVALID, "denied",
                   "/%s is not among the commands you may use; nothing was "
                   "done",
                   form->name);
        return QUIRE_OK;
    }
    if (!t->command->closed) {
        reply_fail(a, QUIRE_INVALID, "unclosed",
                   "%s line is missing; nothing was done. Send the whole "
                   "block again, ended by a line that is %s and nothing else",
                   form->terminator, form->terminator);
        return QUIRE_OK;
    }
    return runners[form->kind](t, err);
}

/* ---- no budget ---------------------------------------------------------- */

static quire_status emit_skipped(const struct slash_command *command,
                                 uint64_t n, const char *message,
                                 quire_slash_fn each, void *ctx,
                                 quire_error *err)
{
    struct buf block = BUF_INIT(16 * 1024);
    quire_slash_reply reply = {
        .command = command->form->name,
        .args = command->args,
        .body = bytes_str(message),
        .status = QUIRE_QUOTA,
        .kind = "skipped",
        .line = command->line,
        .skipped = n,
    };
    quire_status st;

    reply_block(&block, command, reply.body, NULL);
    reply.block = buf_bytes(&block);
    st = block.failed ? err_memory(err) : each(ctx, &reply, err);
    buf_release(&block);
    return st;
}

/* Reply to `command` and all that follow that they were skipped. */
static quire_status skip_rest(const struct turn *t, struct slash_scan *s,
                              struct slash_command *command,
                              quire_slash_fn each, void *ctx, quire_error *err)
{
    struct slash_command more;
    char message[192];
    uint64_t n = 0;
    quire_status st = QUIRE_OK;
    int n_reported;

    snprintf(message, sizeof message,
             "ERR: skipped, nothing was done: the replies of this turn have "
             "used up their %llu bytes; send it again in the next",
             (unsigned long long)t->o.budget);
    for (n_reported = 0; n_reported < SKIPS_REPORTED; n_reported++) {
        st = emit_skipped(command, 1, message, each, ctx, err);
        if (st || !slash_next(s, command))
            return st;
    }
    while (slash_next(s, &more))
        n++;
    if (n > 0)
        snprintf(message, sizeof message,
                 "ERR: skipped, nothing was done, nor by the %llu commands "
                 "after it: the replies of this turn have used up their %llu "
                 "bytes",
                 (unsigned long long)n, (unsigned long long)t->o.budget);
    return emit_skipped(command, n + 1, message, each, ctx, err);
}

/* ---- the whole turn ------------------------------------------------------ */

static void turn_init(struct turn *t, quire *q,
                      const quire_slash_options *options)
{
    *t = (struct turn){.q = q, .o = QUIRE_SLASH_OPTIONS_INIT};
    if (options)
        memcpy(&t->o, options,
               options->size < sizeof t->o ? options->size : sizeof t->o);
    if (!t->o.agent || !*t->o.agent)
        t->o.agent = "agent";
    if (!t->o.read_limit)
        t->o.read_limit = READ_LIMIT;
    if (t->o.read_limit > QUOTED_MAX)
        t->o.read_limit = QUOTED_MAX;
    if (!t->o.budget)
        t->o.budget = BUDGET;
    t->answer.text = (struct buf)BUF_INIT((size_t)1 << 30);
    t->answer.part = (struct buf)BUF_INIT((size_t)1 << 30);
    t->content = (struct buf)BUF_INIT((size_t)1 << 30);
}

static void turn_release(struct turn *t)
{
    buf_release(&t->answer.text);
    buf_release(&t->answer.part);
    buf_release(&t->content);
    arena_release(&t->tmp);
}

quire_status quire_slash(quire *q, quire_bytes text,
                         const quire_slash_options *options,
                         quire_slash_fn each, void *ctx, quire_error *err)
{
    struct arena keep = ARENA_INIT;
    struct slash_command command;
    struct slash_scan s;
    struct turn t;
    uint64_t left;
    quire_status st = QUIRE_OK;
    bool more;

    turn_init(&t, q, options);
    t.command = &command;
    left = t.o.budget;
    slash_scan_init(&s, text);
    more = slash_next(&s, &command);
    if (more)
        st = find_session(&t, &keep, err);
    if (more && !st)
        st = check_store(&t, err);
    while (more && !st && left > 0) {
        t.limit = (size_t)(left < t.o.read_limit ? left : t.o.read_limit);
        st = run_one(&t, err);
        if (!st)
            st = emit_reply(&t, &left, each, ctx, err);
        if (!st)
            more = slash_next(&s, &command);
    }
    if (more && !st)
        st = skip_rest(&t, &s, &command, each, ctx, err);
    turn_release(&t);
    arena_release(&keep);
    return st;
}
