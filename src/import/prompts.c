/* prompts.c - histories of prompts, a JSON object a line; see sidecar.h */
#include <errno.h>
#include <string.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "base/err.h"
#include "base/fs.h"
#include "base/json.h"
#include "import/sidecar.h"

/* A longer line is skipped. */
enum { READ_BYTES = 256 << 10, BACK_BYTES = 64 << 10 };
#define LINE_MAX_BYTES ((size_t)16 << 20)

/* ---- one line ----------------------------------------------------------- */

enum { TEXT, TIME, CWD, SESSION, N_NAMES };

/* Seconds, or milliseconds, since 1970; 0: none. */
static int64_t seconds_of(quire_bytes value)
{
    int64_t n;

    if (!json_read_int(value, &n) || n <= 0)
        return 0;
    return n > INT64_C(100000000000) ? n / 1000 : n;
}

/* A string without NUL, else NULL. */
static const char *text_of(quire_bytes value, struct arena *keep)
{
    quire_bytes text;

    if (json_kind(value) != JSON_STRING || value.len <= 2)
        return NULL;
    text = json_text(value, keep);
    return text.data && !memchr(text.data, '\0', text.len)
               ? arena_text(keep, text)
               : NULL;
}

bool prompt_read(const struct prompt_names *names, quire_bytes line,
                 struct arena *keep, struct import_prompt *out,
                 const char **why)
{
    const char *const keys[N_NAMES] = {[TEXT] = names->text,
                                       [TIME] = names->time,
                                       [CWD] = names->cwd ? names->cwd : "cwd",
                                       [SESSION] = names->session};
    struct json_want w[N_NAMES];
    struct json_error bad = {0};
    int k;

    for (k = 0; k < N_NAMES; k++)
        w[k] = (struct json_want){keys[k], strlen(keys[k]), {NULL, 0}};
    *why = NULL;
    *out = (struct import_prompt){.at_s = 0};
    if (!json_pick(line, w, N_NAMES, &bad)) {
        *why = bad.why ? bad.why : "it is not a JSON object";
        return false;
    }
    if (json_kind(w[TEXT].value) != JSON_STRING)
        *why = "it has no text of a prompt";
    out->at_s = seconds_of(w[TIME].value);
    if (!*why && !out->at_s)
        *why = "it has no time";
    if (*why)
        return false;
    out->text = json_text(w[TEXT].value, keep);
    out->session = text_of(w[SESSION].value, keep);
    out->cwd = names->cwd ? text_of(w[CWD].value, keep) : NULL;
    if (out->cwd && *out->cwd != '/')
        out->cwd = NULL;
    return out->text.data && out->text.len > 0;
}

/* ---- a file ------------------------------------------------------------- */

struct reading {
    const struct import_taking *t;
    const struct prompt_names *names;
    uint64_t at, line; /* of the line; the number counts from where it began */
    bool numbered;     /* it began at the beginning                         */
    bool skipping;     /* the line is too long                              */
    struct arena keep;
};

static quire_status take_line(struct reading *r, quire_bytes line,
                              quire_error *err)
{
    struct import_prompt p;
    const char *why;
    quire_status st = QUIRE_OK;

    r->line++;
    arena_reset(&r->keep);
    if (line.len == 0)
        return QUIRE_OK;
    if (prompt_read(r->names, line, &r->keep, &p, &why)) {
        const quire_prompt prompt = {.prompt = p.text,
                                     .created_at_s = p.at_s,
                                     .cwd = p.cwd,
                                     .session = p.session};

        st = quire_history_put(r->t->q, &prompt, NULL, err);
    } else if (why) {
        r->t->problem(r->t->ctx, r->numbered ? r->line : 0, r->at, why);
    }
    return st;
}

/* The complete lines of `text`, which are dropped from it. */
static quire_status take_lines(struct reading *r, struct buf *text,
                               quire_error *err)
{
    const char *at = text->data, *end = at + text->len, *nl;
    quire_status st = QUIRE_OK;

    for (; !st && at < end && (nl = memchr(at, '\n', (size_t)(end - at)));
         at = nl + 1) {
        if (!r->skipping)
            st = take_line(r, bytes_of(at, (size_t)(nl - at)), err);
        r->skipping = false;
        r->at += (uint64_t)(nl + 1 - at);
    }
    text->len = (size_t)(end - at);
    if (text->len)
        memmove(text->data, at, text->len);
    return st;
}

/* What follows a line break before `from`: the last line may have been torn. */
static quire_status find_start(const struct import_taking *t, char *buf,
                               uint64_t *from, quire_error *err)
{
    size_t n = t->from < BACK_BYTES ? (size_t)t->from : BACK_BYTES;
    ssize_t got = fs_read_at(t->fd, buf, n, (off_t)(t->from - n));
    const char *nl;

    *from = 0;
    if (got < 0)
        return err_sys(err, errno, "cannot read %s", t->found->path);
    nl = memrchr(buf, '\n', (size_t)got);
    if (nl)
        *from = t->from - n + (uint64_t)(nl + 1 - buf);
    return QUIRE_OK;
}

static quire_status take_all(struct reading *r, struct buf *text,
                             quire_error *err)
{
    uint64_t at = r->at;
    quire_status st = QUIRE_OK;
    ssize_t n = 1;

    while (!st && at < r->t->size && n > 0) {
        if (!buf_room(text, READ_BYTES))
            return err_memory(err);
        n = fs_read_at(r->t->fd, text->data + text->len, READ_BYTES, (off_t)at);
        if (n < 0)
            return err_sys(err, errno, "cannot read %s", r->t->found->path);
        at += (uint64_t)n;
        text->len += (size_t)n;
        st = take_lines(r, text, err);
        if (!st && text->len > LINE_MAX_BYTES) {
            r->t->problem(r->t->ctx, 0, r->at, "a line is too long");
            r->skipping = true;
            r->at += text->len;
            text->len = 0;
        }
    }
    return st;
}

quire_status prompts_take(const struct import_taking *t,
                          const struct prompt_names *names, quire_error *err)
{
    struct reading r = {.t = t, .names = names, .keep = ARENA_INIT};
    struct buf text = BUF_INIT(LINE_MAX_BYTES + 4 * READ_BYTES);
    quire_status st = buf_room(&text, BACK_BYTES) ? QUIRE_OK : err_memory(err);

    if (!st)
        st = find_start(t, text.data, &r.at, err);
    r.numbered = r.at == 0;
    if (!st)
        st = take_all(&r, &text, err);
    buf_release(&text);
    arena_release(&r.keep);
    return st;
}
