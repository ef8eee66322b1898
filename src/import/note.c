/* note.c - notes of an agent as entries of the memory; see sidecar.h */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/err.h"
#include "base/fs.h"
#include "base/utf8.h"
#include "import/agent.h"
#include "import/sidecar.h"

/* Of an entry of the memory (quire/memory.h). */
enum { TITLE_MAX = 200, CONTENT_MAX = 64 << 10, SOURCE_MAX = 200 };

/* ---- what it says of itself --------------------------------------------- */

static quire_bytes trim(quire_bytes text)
{
    const char *at = text.data, *end = at + text.len;

    while (at < end && strchr(" \t\r\"'", *at))
        at++;
    while (end > at && strchr(" \t\r\"'", end[-1]))
        end--;
    return bytes_of(at, (size_t)(end - at));
}

/* The next line of `rest`, without its break. */
static bool next_line(quire_bytes *rest, quire_bytes *line)
{
    const char *nl;

    if (rest->len == 0)
        return false;
    nl = memchr(rest->data, '\n', rest->len);
    *line = nl ? bytes_of(rest->data, (size_t)(nl - (const char *)rest->data))
               : *rest;
    *rest = bytes_sub(*rest, line->len + (nl != NULL), rest->len);
    return true;
}

/* "name: A title" of the lines between "---". */
static void read_member(quire_bytes line, struct import_note *n)
{
    const char *colon = memchr(line.data, ':', line.len);
    quire_bytes key, value;

    if (!colon)
        return;
    key = trim(bytes_of(line.data, (size_t)(colon - (const char *)line.data)));
    value = trim(bytes_sub(line, (size_t)(colon + 1 - (const char *)line.data),
                           line.len));
    if (bytes_is(key, "name") && value.len)
        n->title = value;
    else if (bytes_is(key, "type"))
        quire_memory_type_of(value, &n->type, NULL);
}

/* The lines between "---"; what follows goes to *rest. */
static void read_front(quire_bytes *rest, struct import_note *n)
{
    quire_bytes after = *rest, line;

    if (!next_line(&after, &line) || !bytes_is(trim(line), "---"))
        return;
    while (next_line(&after, &line) && !bytes_is(trim(line), "---"))
        read_member(line, n);
    *rest = after;
}

struct import_note note_read(quire_bytes text, const char *base)
{
    struct import_note n = {.type = QUIRE_MEMORY_PROJECT};
    quire_bytes line;
    const char *at;

    read_front(&text, &n);
    while (!n.title.len && next_line(&text, &line)) {
        at = line.data;
        while (line.len && *at == '#') {
            at++;
            line.len--;
        }
        if (at > (const char *)line.data)
            n.title = trim(bytes_of(at, line.len));
    }
    if (!n.title.len)
        n.title = name_stem(base, ".md");
    n.title.len = utf8_cut(n.title, TITLE_MAX);
    return n;
}

/* ---- the entry ---------------------------------------------------------- */

/* The entry that was made of a file before. */
struct finding {
    quire_bytes source;
    int64_t id; /* 0: there is none */
};

static quire_status find_entry(void *ctx, const quire_memory *m,
                               quire_error *err)
{
    struct finding *f = ctx;

    (void)err;
    if (!bytes_equal(m->source, f->source))
        return QUIRE_OK;
    f->id = m->id;
    return QUIRE_STOPPED;
}

/* The end of a path says more than its beginning. */
static quire_bytes source_of(const char *path)
{
    size_t len = strlen(path);

    if (len > SOURCE_MAX) {
        path += len - SOURCE_MAX;
        while ((*path & 0xc0) == 0x80) /* a whole character */
            path++;
    }
    return bytes_str(path);
}

static quire_status put_entry(const struct import_taking *t, quire_bytes text,
                              quire_error *err)
{
    struct import_note n = note_read(text, name_base(t->found->path));
    quire_memory_list_options all = QUIRE_MEMORY_LIST_OPTIONS_INIT;
    quire_memory_options o = QUIRE_MEMORY_OPTIONS_INIT;
    quire_bytes tag = bytes_str(t->found->agent->name);
    struct finding f = {.source = source_of(t->found->path)};
    quire_status st;

    all.limit = UINT64_MAX;
    st = quire_memory_list(t->q, &all, find_entry, &f, err);
    if (st && st != QUIRE_STOPPED)
        return st;
    o.type = n.type;
    o.set_type = 1;
    o.title = n.title;
    o.content = text;
    if (f.id)
        return quire_memory_edit(t->q, NULL, f.id, &o, NULL, err);
    o.source = f.source;
    o.tags = &tag;
    o.n_tags = 1;
    o.created_us = t->found->modified_ns > 0 ? t->found->modified_ns / 1000 : 0;
    return quire_memory_add(t->q, NULL, &o, NULL, err);
}

quire_status note_take(const struct import_taking *t, quire_error *err)
{
    size_t most = CONTENT_MAX + 1;
    char *text = malloc(most);
    quire_bytes whole;
    quire_status st = QUIRE_OK;
    ssize_t n = -1;

    if (!text)
        return err_memory(err);
    n = fs_read_at(t->fd, text, most, 0);
    if (n < 0)
        st = err_sys(err, errno, "cannot read %s", t->found->path);
    else if (n == (ssize_t)most)
        t->problem(t->ctx, 0, 0,
                   "is longer than 64 KiB: the entry has its beginning");
    whole = bytes_of(text, n > 0 ? (size_t)n : 0);
    whole.len = utf8_cut(whole, CONTENT_MAX);
    if (!st && !utf8_check(whole))
        t->problem(t->ctx, 0, 0, "is not text");
    else if (!st && whole.len > 0)
        st = put_entry(t, whole, err);
    free(text);
    return st;
}
