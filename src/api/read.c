/*
 * read.c - reading an address
 *
 * One function for every kind of address, over files of the session and blobs. An
 * address is compared with the names in one directory, never used as a path: it
 * cannot lead out of it.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/err.h"
#include "base/json.h"
#include "base/opts.h"
#include "output/address.h"
#include "output/lines.h"
#include "output/query.h"
#include "output/dir.h"
#include "output/quote.h"
#include "api/output.h"

/* A report is held in memory while a value is extracted. */
#define REPORT_MAX ((size_t)256 << 20)

#define PIECE ((size_t)256 << 10)

/* The part of a list that fits a message. */
#define LIST_MAX 110

/* ---- what is missing ---------------------------------------------------- */

/* Numbers as ranges: "0-3, 5". */
static void add_numbers(struct buf *list, const struct output_dir_item *items,
                        size_t n)
{
    size_t i, j;

    for (i = 0; i < n && *items[i].tool; i = j) {
        uint64_t first = strtoull(items[i].id, NULL, 10), last = first;

        for (j = i + 1; j < n && *items[j].tool &&
                        strtoull(items[j].id, NULL, 10) <= last + 1;
             j++)
            last = strtoull(items[j].id, NULL, 10);
        if (first == last)
            buf_addf(list, "%s%s", list->len ? ", " : "", items[i].id);
        else
            buf_addf(list, "%s%s-%s", list->len ? ", " : "", items[i].id,
                     items[j - 1].id);
    }
}

/* The end of a list that is too long for a message, from a whole item on: the
 * newest are the most likely. */
static const char *fit(const char *list)
{
    size_t len = strlen(list);
    const char *at = list;

    if (len > LIST_MAX) {
        at = strstr(list + len - LIST_MAX, ", ");
        at = at ? at + 2 : list + len;
    }
    return at;
}

/* As many ids as there is room for in a message. */
static void add_ids(struct buf *list, const struct output_dir_item *items,
                    size_t n)
{
    size_t i, n_listed = 0, all = 0;

    for (i = 0; i < n; i++) {
        if (*items[i].tool)
            continue;
        all++;
        if (n_listed + 1 == all &&
            list->len + strlen(items[i].id) < LIST_MAX - 20) {
            buf_addf(list, "%s%s", list->len ? ", " : "", items[i].id);
            n_listed++;
        }
    }
    if (n_listed < all)
        buf_addf(list, " and %zu more", all - n_listed);
}

/* Report a missing output, and list the ones of the session. */
static quire_status missing(quire_outputs *o, const struct address *a,
                            quire_error *err)
{
    bool log = a->kind == ADDRESS_ARTIFACT;
    struct buf list = BUF_INIT(64 * 1024);
    struct arena tmp = ARENA_INIT;
    struct output_dir_item *items;
    const char *text;
    quire_status st;
    size_t n;

    st = output_dir_list(&o->outdir, &tmp, &items, &n, err);
    if (!st) {
        if (log)
            add_numbers(&list, items, n);
        else
            add_ids(&list, items, n);
        text = list.len                    ? buf_text(&list)
               : access(o->dir, F_OK) == 0 ? "none"
                                           : "none, there is no directory "
                                             "of outputs";
        if (text && log)
            text = fit(text);
        st = err_set(err, QUIRE_NOT_FOUND, "no %s://%s; available: %s%s",
                     log ? "artifact" : "agent",
                     quote_text(bytes_str(a->id)).text,
                     list.len > LIST_MAX && log ? "... " : "",
                     text ? text : "");
        if (o->temporary)
            err_next(err,
                     HINT_SHELL
                     "no session is named, so it was looked for in %.100s; "
                     "--session names one",
                     o->dir);
        else
            err_next(err, HINT_SHELL
                     "`quire output ls` lists all outputs of the session");
    }
    buf_release(&list);
    arena_release(&tmp);
    return st;
}

/* ---- where text comes from ---------------------------------------------- */

/* A file, from the middle to its end. */
static quire_status read_object(void *ctx, uint64_t from, quire_write_fn write,
                                void *write_ctx, quire_error *err)
{
    struct object *file = ctx;
    char *piece = malloc(PIECE);
    quire_status st = piece ? QUIRE_OK : err_memory(err);
    size_t n = 1;

    while (!st && n > 0) {
        st = object_read(file, from, piece, PIECE, &n, err);
        if (!st && n > 0)
            st = write(write_ctx, bytes_of(piece, n), err);
        from += n;
    }
    free(piece);
    return st;
}

struct blob_text {
    struct quire *q;
    quire_digest digest;
};

static quire_status read_blob(void *ctx, uint64_t from, quire_write_fn write,
                              void *write_ctx, quire_error *err)
{
    struct blob_text *b = ctx;

    return quire_blob_read(b->q, &b->digest, from, UINT64_MAX, write, write_ctx,
                           err);
}

/* The lines asked for. */
static quire_status give_lines(const struct lines_source *source,
                               const char *address,
                               const quire_read_options *options,
                               quire_line_fn each, void *ctx, quire_error *err)
{
    quire_error why = {0};
    quire_status st = lines_read(source, options, each, ctx, NULL, &why);

    if (st == QUIRE_NOT_FOUND)
        return err_set(err, st, "%s: %.140s",
                       quote_text(bytes_str(address)).text, why.what);
    if (st && err)
        *err = why;
    return st;
}

static quire_status give_file(quire_outputs *o, const char *name,
                              const char *address,
                              const quire_read_options *options,
                              quire_line_fn each, void *ctx, quire_error *err)
{
    struct store *store = o->outdir.store;
    struct object_info info;
    struct object *file;
    quire_status st = object_open(store->objects, name, &file, &info, err);
    struct lines_source source = {.seeks = true, .read = read_object};

    if (st == QUIRE_NOT_FOUND)
        return err_set(err, st, "%s has been removed or moved",
                       quote_text(bytes_str(address)).text);
    if (st)
        return st;
    source.ctx = file;
    st = give_lines(&source, address, options, each, ctx, err);
    object_close(file);
    return st;
}

static quire_status give_blob(struct quire *q, const struct address *a,
                              const char *address,
                              const quire_read_options *options,
                              quire_line_fn each, void *ctx, quire_error *err)
{
    struct blob_text b = {.q = q};
    struct lines_source source = {.read = read_blob, .ctx = &b};
    quire_blob_info info;
    const char *ref = strncmp(a->id, "sha256:", 7) ? a->id : a->id + 7;
    quire_status st = quire_blob_resolve(q, ref, &b.digest, err);

    if (!st)
        st = quire_blob_stat(q, &b.digest, &info, err);
    if (st)
        return st;
    return give_lines(&source, address, options, each, ctx, err);
}

/* ---- values ------------------------------------------------------------- */

static quire_status load(struct store *store, const char *name, struct buf *out,
                         quire_error *err)
{
    struct object_info info;
    struct object *file;
    quire_status st = object_open(store->objects, name, &file, &info, err);
    size_t n = 0;
    char *room;

    if (st)
        return st;
    room = info.size < REPORT_MAX ? buf_room(out, (size_t)info.size + 1) : NULL;
    if (!room) {
        st = err_set(err, QUIRE_NO_MEMORY,
                     "%s is too large to take a value out of", name);
    } else {
        st = object_read(file, 0, room, (size_t)info.size, &n, err);
        buf_grow(out, n);
    }
    object_close(file);
    return st;
}

/* Skip a byte order mark. */
static quire_bytes json_in(const struct buf *file)
{
    quire_bytes mark = bytes_str("\xef\xbb\xbf"), text = buf_bytes(file);

    return bytes_starts(text, mark) ? bytes_sub(text, mark.len, text.len)
                                    : text;
}

/* The JSON of a report: beside it, where another program has put it, or the
 * report itself. */
static quire_status load_json(quire_outputs *o, const struct address *a,
                              const char *report, struct arena *tmp,
                              struct buf *out, quire_error *err)
{
    struct json_error why;
    const char *beside;
    quire_status st = output_dir_find_report(&o->outdir, a->id, ".json", tmp,
                                             &beside, err);

    if (!st)
        st = load(o->outdir.store, beside, out, err);
    if (!st && json_check(json_in(out), 0, NULL))
        return QUIRE_OK;
    /* If it cannot be read, the report is used. */
    buf_clear(out);
    st = load(o->outdir.store, report, out, err);
    if (st || json_check(json_in(out), 0, &why))
        return st;
    return err_fail(
        err, QUIRE_NOT_FOUND, "read it without a path or ?q=",
        "agent://%s is not JSON, so there is no value to take out of "
        "it: byte %zu: %s",
        quote_text(bytes_str(a->id)).text, why.at, why.why);
}

/* A value as it is printed: a string as its text, the rest indented. */
static void spell(quire_bytes value, unsigned flags, struct buf *out)
{
    if (!value.data)
        buf_add_str(out, "null");
    else if (json_kind(value) == JSON_STRING && !(flags & QUIRE_READ_JSON))
        json_decode(value, out);
    else if (flags & QUIRE_READ_JSON)
        buf_add(out, value.data, value.len);
    else
        json_indent(value, out);
}

static quire_status give_value(quire_outputs *o, const struct address *a,
                               const char *report,
                               const quire_read_options *options,
                               quire_line_fn each, void *ctx, quire_error *err)
{
    struct buf json = BUF_INIT(REPORT_MAX), text = BUF_INIT(4 * REPORT_MAX);
    struct arena tmp = ARENA_INIT;
    quire_line line = {.begins = 1, .ends = 1};
    quire_bytes value = {NULL, 0};
    quire_status st = load_json(o, a, report, &tmp, &json, err);

    if (!st)
        st = query_find(json_in(&json), a->query, &tmp, &value, err);
    if (!st) {
        spell(value, options->flags, &text);
        st = buf_status(&text, "a value", err);
    }
    if (!st) {
        line.text = buf_bytes(&text);
        st = each(ctx, &line, err);
    }
    buf_release(&text);
    buf_release(&json);
    arena_release(&tmp);
    return st;
}

/* ---- addresses ---------------------------------------------------------- */

static quire_status read_report(quire_outputs *o, const struct address *a,
                                const char *address,
                                const quire_read_options *options,
                                struct arena *tmp, quire_line_fn each,
                                void *ctx, quire_error *err)
{
    const char *name = NULL;
    quire_status st = QUIRE_NOT_FOUND;

    if (a->nested)
        st = output_dir_find_report(&o->outdir, a->nested, ".md", tmp, &name,
                                    err);
    if (!st)
        return give_file(o, name, address, options, each, ctx, err);
    if (st == QUIRE_NOT_FOUND)
        st = output_dir_find_report(&o->outdir, a->id, ".md", tmp, &name, err);
    if (st)
        return st == QUIRE_NOT_FOUND ? missing(o, a, err) : st;
    if (!a->query)
        return give_file(o, name, address, options, each, ctx, err);
    if (options->offset || options->limit || options->tail || options->grep) {
        st = err_fail(err, QUIRE_INVALID,
                      "leave out the path or ?q= to read lines, or the choice "
                      "of lines to read the value",
                      "%s is a value without lines",
                      quote_text(bytes_str(address)).text);
        return st;
    }
    return give_value(o, a, name, options, each, ctx, err);
}

static quire_status read_log(quire_outputs *o, const struct address *a,
                             const char *address,
                             const quire_read_options *options,
                             struct arena *tmp, quire_line_fn each, void *ctx,
                             quire_error *err)
{
    const char *name;
    quire_status st = output_dir_find_log(&o->outdir, a->id, tmp, &name, err);

    if (st == QUIRE_NOT_FOUND)
        return missing(o, a, err);
    return st ? st : give_file(o, name, address, options, each, ctx, err);
}

quire_status quire_read(quire *q, quire_outputs *o, const char *address,
                        const quire_read_options *options, quire_line_fn each,
                        void *ctx, quire_error *err)
{
    quire_read_options full = QUIRE_READ_OPTIONS_INIT;
    struct arena tmp = ARENA_INIT;
    struct address a;
    quire_status st = address_parse(address, &tmp, &a, err);

    OPTIONS_READ(full, options);
    if (!st && a.kind == ADDRESS_BLOB) {
        st = give_blob(q, &a, address, &full, each, ctx, err);
    } else if (!st && !o) {
        st = err_fail(err, QUIRE_INVALID,
                      HINT_SHELL "open its outputs with quire_outputs_open()",
                      "%s needs a session",
                      quote_text(bytes_str(address)).text);
    } else if (!st) {
        st = a.kind == ADDRESS_AGENT
                 ? read_report(o, &a, address, &full, &tmp, each, ctx, err)
                 : read_log(o, &a, address, &full, &tmp, each, ctx, err);
    }
    arena_release(&tmp);
    return st;
}
