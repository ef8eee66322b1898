/*
 * dir.c - numbered output files
 *
 * An output gets its number when it is complete, not when it begins: so a crash
 * leaves no gap and no partial file. Numbering lists all names and takes the
 * number after the highest. Two processes that do so at once would take the
 * same one, and under different names ("3.bash.log", "3.python.log") not even
 * notice; so numbering locks the directory of the session's file, for one
 * listing and one link.
 *
 * Another program may share the directory without using that lock. If it took
 * the very same name, we notice and try the next.
 *
 * Invariants:
 *
 *   (1) What has a name here is complete and durable.
 *   (2) A name that is taken stays what it is: nothing is replaced.
 *   (3) Outputs are stored only while the owner exists: deleting or moving a
 *       session locks the same directory. So a deleted session leaves no
 *       orphaned outputs.
 *   (4) No number is given twice. Removing the output with the highest number
 *       leaves an empty file "<n>.removed" or "<n>-<name>.removed" in its place.
 */
#include "output/dir.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/err.h"
#include "output/address.h"
#include "output/chars.h"
#include "output/quote.h"

/* Numbers have at most so many digits: an address can spell them, and they can
 * be incremented. A file with more digits is not one of ours. */
#define DIGITS_MAX 15
#define NUMBER_MAX UINT64_C(999999999999999)

/* The limit of file systems for one component. */
#define COMPONENT_MAX 255

void output_dir_clean_name(const char *text, const char *otherwise,
                           char out[OUTPUT_DIR_NAME_SIZE])
{
    size_t n = 0, from = 0;

    for (; *text && n < OUTPUT_DIR_NAME_SIZE - 1; text++) {
        if (is_name_char(*text))
            out[n++] = *text;
        else if (n == 0 || is_name_char(text[-1]))
            out[n++] = '_'; /* one for all special characters in a row */
    }
    while (n > 0 && out[n - 1] == '_')
        n--;
    while (from < n && out[from] == '_')
        from++;
    memmove(out, out + from, n - from);
    out[n - from] = '\0';
    if (!out[0])
        strcpy(out, otherwise);
}

/* In doubt yes: an orphaned output does less harm than a lost one. */
static bool owner_exists(struct output_dir *s)
{
    struct object_info info;

    return !s->owner ||
           log_stat(s->store->logs, s->owner, &info, NULL) != QUIRE_NOT_FOUND;
}

/* Open the store; `dir` is where the outputs are now. */
static quire_status open_store(struct output_dir *s, quire_error *err)
{
    if (!s->store)
        return s->open(s->ctx, s, err);
    if (s->follow && !owner_exists(s))
        s->follow(s->ctx, s);
    return QUIRE_OK;
}

/* A failure of the store is not the caller's mistake. */
static quire_status as_io_error(quire_status st, quire_error *err)
{
    if (st != QUIRE_INVALID)
        return st;
    if (err)
        err->status = QUIRE_IO;
    return QUIRE_IO;
}

quire_status output_dir_draft(struct output_dir *s, struct draft **out,
                              quire_error *err)
{
    quire_status st = open_store(s, err);

    return st ? st
              : as_io_error(object_create(s->store->objects, out, err), err);
}

static quire_status scan_dir(struct output_dir *s, directory_scan_fn each,
                             void *ctx, quire_error *err)
{
    quire_status st = open_store(s, err);

    return st ? st
              : as_io_error(directory_scan(s->store->dirs, s->dir, each, ctx,
                                           err),
                            err);
}

static const char *name_in(const struct output_dir *s, const char *base,
                           struct arena *keep)
{
    return arena_printf(keep, "%s%s%s", s->dir, *s->dir ? "/" : "", base);
}

/* ---- numbering ---------------------------------------------------------- */

/* What is left of a removed output. */
#define REMOVED ".removed"

/* Names that are numbered together: "<before><n><after>...". */
struct series {
    const char *before;
    char after;
    uint64_t next; /* above all found */
};

static quire_status record_number(void *ctx, const char *name,
                                  const struct object_info *info,
                                  quire_error *err)
{
    struct series *s = ctx;
    size_t before = strlen(s->before), digits;
    uint64_t n;

    (void)info; /* a directory takes a number, too */
    (void)err;
    if (strncmp(name, s->before, before) != 0)
        return QUIRE_OK;
    name += before;
    digits = strspn(name, "0123456789");
    if (digits == 0 || digits > DIGITS_MAX || name[digits] != s->after)
        return QUIRE_OK;
    n = strtoull(name, NULL, 10);
    if (n >= s->next)
        s->next = n + 1;
    return QUIRE_OK;
}

/* The directory of the owner, in `keep`: the one to lock while numbering.
 * Deleting or moving a session locks the same directory. */
static const char *owner_dir(const struct output_dir *s, struct arena *keep)
{
    const char *slash = s->owner ? strrchr(s->owner, '/') : NULL;

    return slash ? arena_text(keep,
                              bytes_of(s->owner, (size_t)(slash - s->owner)))
                 : "";
}

/* Lock the directory while the owner of the outputs exists. If it has moved,
 * follow it, but not for ever. */
static quire_status lock_owner_dir(struct output_dir *s, struct arena *keep,
                                   quire_error *err)
{
    struct store *store = s->store;
    quire_status st;
    int i;

    for (i = 0; i < 8; i++) {
        const char *dir = owner_dir(s, keep);

        if (!dir)
            return err_memory(err);
        st = lease_lock_dir(store->leases, dir, s->busy_ms, err);
        if (st && st != QUIRE_NOT_FOUND)
            return as_io_error(st, err);
        if (!st && owner_exists(s))
            return QUIRE_OK;
        if (!st)
            lease_unlock_dir(store->leases);
        if (!s->follow || !s->follow(s->ctx, s))
            break;
    }
    return err_fail(err, QUIRE_NOT_FOUND,
                    HINT_SHELL
                    "outputs go with their session; `quire session ls` lists "
                    "the sessions",
                    "the session was deleted%s meanwhile",
                    s->follow ? "" : " or moved");
}

/* Take the next number of the series and publish the draft, which is gone then,
 * in any case. The directory is locked. */
static quire_status take_number(struct output_dir *s, struct draft *d,
                                struct series *series, const char *rest,
                                struct arena *keep, const char **name,
                                const char **base, quire_error *err)
{
    quire_status st = scan_dir(s, record_number, series, err);

    while (!st) {
        if (series->next > NUMBER_MAX) {
            st = err_set(err, QUIRE_INVALID, "all numbers up to %llu are taken",
                         (unsigned long long)NUMBER_MAX);
            break;
        }
        *base = arena_printf(keep, "%s%llu%c%s", series->before,
                             (unsigned long long)series->next, series->after,
                             rest);
        *name = *base ? name_in(s, *base, keep) : NULL;
        if (!*name) {
            st = err_memory(err);
            break;
        }
        st = object_publish(d, *name, false, err);
        if (st != QUIRE_EXISTS)
            return as_io_error(st, err);
        st = QUIRE_OK;
        series->next++;
    }
    object_discard(d);
    return st;
}

static quire_status put_numbered(struct output_dir *s, struct draft *d,
                                 struct series *series, const char *rest,
                                 struct arena *keep, const char **name,
                                 const char **base, quire_error *err)
{
    quire_status st = object_settle(d, err);

    if (!st)
        st = lock_owner_dir(s, keep, err);
    if (st) {
        object_discard(d);
        return st;
    }
    st = take_number(s, d, series, rest, keep, name, base, err);
    lease_unlock_dir(s->store->leases);
    return st;
}

quire_status output_dir_put_log(struct output_dir *s, struct draft *d,
                                const char *tool, struct arena *keep,
                                const char **name, const char **id,
                                quire_error *err)
{
    struct series series = {.before = "", .after = '.'};
    char rest[OUTPUT_DIR_NAME_SIZE + 8];
    const char *base = "";
    quire_status st;

    output_dir_clean_name(tool, "tool", rest);
    strcat(rest, ".log");
    st = put_numbered(s, d, &series, rest, keep, name, &base, err);
    if (st)
        return st;
    *id = arena_text(keep, bytes_of(base, strspn(base, "0123456789")));
    return *id ? QUIRE_OK : err_memory(err);
}

/* ---- reports ------------------------------------------------------------ */

quire_status output_dir_check_parent(const char *parent, quire_error *err)
{
    const char *at = parent;

    while (is_name_char(*at) || (*at == '.' && at > parent && at[-1] != '.'))
        at++;
    /* A number alone is that of a log: "3.0-Scout.md" would be artifact://3. */
    if (*at == '\0' && at > parent && at[-1] != '.' &&
        !strchr(".", parent[strspn(parent, "0123456789")]))
        return QUIRE_OK;
    return err_fail(err, QUIRE_INVALID,
                    HINT_SHELL
                    "ids look like 0-Scout or 0-Scout.1-Reader; `quire output "
                    "ls` lists them",
                    "%s is not the id of a report",
                    quote_text(bytes_str(parent)).text);
}

quire_status output_dir_put_report(struct output_dir *s, struct draft *d,
                                   const char *report, const char *parent,
                                   struct arena *keep, const char **name,
                                   const char **id, quire_error *err)
{
    struct series series = {.before = "", .after = '-'};
    char rest[OUTPUT_DIR_NAME_SIZE + 8];
    const char *base = "";
    quire_status st = parent ? output_dir_check_parent(parent, err) : QUIRE_OK;

    output_dir_clean_name(report, "agent", rest);
    strcat(rest, ".md");
    if (!st && parent &&
        strlen(parent) + DIGITS_MAX + 2 + strlen(rest) > COMPONENT_MAX) {
        st = err_set(err, QUIRE_INVALID,
                     "the id of a report below %s would be too long",
                     quote_text(bytes_str(parent)).text);
        err_next(err, "a file name has at most %d bytes", COMPONENT_MAX);
    }
    if (!st && parent) {
        series.before = arena_printf(keep, "%s.", parent);
        if (!series.before)
            st = err_memory(err);
    }
    if (st) {
        object_discard(d);
        return st;
    }
    st = put_numbered(s, d, &series, rest, keep, name, &base, err);
    if (st)
        return st;
    *id = arena_text(keep, bytes_of(base, strlen(base) - strlen(".md")));
    return *id ? QUIRE_OK : err_memory(err);
}

static bool ends_with(const char *text, const char *suffix)
{
    size_t len = strlen(text), n = strlen(suffix);

    return len > n && !strcmp(text + len - n, suffix);
}

bool output_dir_is_removed(const char *base)
{
    return ends_with(base, REMOVED);
}

/* ---- finding ------------------------------------------------------------ */

struct search {
    const char *id;
    size_t len;
    struct arena *keep;
    const char *found; /* its last component */
};

/* Of several, a log first, then the first by name: independent of the file
 * system. */
static bool is_better(const char *name, const char *than)
{
    bool log = ends_with(name, ".log"), other = ends_with(than, ".log");

    return log != other ? log : strcmp(name, than) < 0;
}

static quire_status record_log(void *ctx, const char *name,
                               const struct object_info *info, quire_error *err)
{
    struct search *s = ctx;

    if (!info || output_dir_is_removed(name) ||
        strncmp(name, s->id, s->len) != 0 || name[s->len] != '.' ||
        (s->found && !is_better(name, s->found)))
        return QUIRE_OK;
    s->found = arena_text(s->keep, bytes_str(name));
    return s->found ? QUIRE_OK : err_memory(err);
}

quire_status output_dir_find_log(struct output_dir *s, const char *id,
                                 struct arena *keep, const char **name,
                                 quire_error *err)
{
    struct search search = {id, strlen(id), keep, NULL};
    quire_status st = scan_dir(s, record_log, &search, err);

    if (st || !search.found)
        return st ? st : QUIRE_NOT_FOUND;
    *name = name_in(s, search.found, keep);
    return *name ? QUIRE_OK : err_memory(err);
}

quire_status output_dir_find_report(struct output_dir *s, const char *id,
                                    const char *suffix, struct arena *keep,
                                    const char **name, quire_error *err)
{
    const char *base = arena_printf(keep, "%s%s", id, suffix);
    struct object_info info;

    quire_status st = open_store(s, err);

    *name = base ? name_in(s, base, keep) : NULL;
    if (!st && !*name)
        st = err_memory(err);
    return st ? st
              : as_io_error(object_stat(s->store->objects, *name, &info, err),
                            err);
}

/* ---- removing ----------------------------------------------------------- */

/* The series that an id is numbered in, its number, and the name of the file
 * that takes its place. False: it has no number. */
static bool find_series(const char *id, bool report, struct arena *keep,
                        struct series *series, uint64_t *n, const char **left)
{
    const char *dot = report ? strrchr(id, '.') : NULL;
    const char *at = dot ? dot + 1 : id;
    size_t digits = strspn(at, "0123456789");

    *series = (struct series){.after = report ? '-' : '.'};
    series->before = dot ? arena_text(keep, bytes_of(id, (size_t)(at - id)))
                         : "";
    *left = arena_printf(keep, "%s" REMOVED, id);
    *n = strtoull(at, NULL, 10);
    return digits > 0 && digits <= DIGITS_MAX &&
           at[digits] == (report ? '-' : '\0');
}

/* Keep the number of `id` taken, if it is the highest. The directory is locked. */
static quire_status keep_number(struct output_dir *s, const char *id,
                                bool report, struct arena *keep,
                                quire_error *err)
{
    struct series series;
    struct draft *d;
    const char *left, *name;
    uint64_t n;
    quire_status st;

    if (!find_series(id, report, keep, &series, &n, &left))
        return QUIRE_OK;
    name = left && series.before ? name_in(s, left, keep) : NULL;
    if (!name)
        return err_memory(err);
    st = scan_dir(s, record_number, &series, err);
    if (st || series.next != n + 1)
        return st;
    st = object_create(s->store->objects, &d, err);
    if (!st)
        st = object_publish(d, name, true, err);
    return as_io_error(st, err);
}

static quire_status remove_files(struct output_dir *s, const char *id,
                                 bool report, struct arena *keep,
                                 quire_error *err)
{
    const char *name;
    bool any = false;
    quire_status st = report ? output_dir_find_report(s, id, ".json", keep,
                                                      &name, err)
                             : QUIRE_NOT_FOUND;

    /* The JSON beside a report first: without the report it is not found. */
    if (!st)
        st = object_remove(s->store->objects, name, err);
    if (st && st != QUIRE_NOT_FOUND)
        return as_io_error(st, err);
    /* Another program may have used a number twice. */
    for (;;) {
        st = report ? output_dir_find_report(s, id, ".md", keep, &name, err)
                    : output_dir_find_log(s, id, keep, &name, err);
        if (!st)
            st = as_io_error(object_remove(s->store->objects, name, err), err);
        if (st)
            break;
        any = true;
    }
    return any && st == QUIRE_NOT_FOUND ? QUIRE_OK : st;
}

quire_status output_dir_remove(struct output_dir *s, const char *id,
                               bool report, struct arena *keep,
                               quire_error *err)
{
    const char *name;
    quire_status st = report ? output_dir_find_report(s, id, ".md", keep, &name,
                                                      err)
                             : output_dir_find_log(s, id, keep, &name, err);

    if (!st)
        st = lock_owner_dir(s, keep, err);
    if (st)
        return st;
    st = keep_number(s, id, report, keep, err);
    if (!st)
        st = remove_files(s, id, report, keep, err);
    lease_unlock_dir(s->store->leases);
    return st;
}

/* ---- listing ------------------------------------------------------------ */

struct listing {
    struct output_dir *dir;
    struct arena *keep;
    struct output_dir_item *items;
    size_t n, cap;
};

bool output_dir_is_output(const char *base)
{
    size_t digits = strspn(base, "0123456789");

    return (digits > 0 && base[digits] == '.') || ends_with(base, ".md") ||
           ends_with(base, ".json") || output_dir_is_removed(base);
}

/* The parts of a name; false: it is not an output. */
static bool read_name(const char *base, struct arena *keep,
                      struct output_dir_item *item)
{
    size_t len = strlen(base), digits = strspn(base, "0123456789");

    if (!ends_with(base, ".md") && digits > 0 && digits <= ADDRESS_DIGITS_MAX &&
        base[digits] == '.' && len > digits + 1) {
        /* Whatever its suffix, its number leads to it. */
        size_t end = ends_with(base + digits + 1, ".log") ? len - 4 : len;

        item->id = arena_text(keep, bytes_of(base, digits));
        item->tool = arena_text(keep,
                                bytes_of(base + digits + 1, end - digits - 1));
        return true;
    }
    if (!ends_with(base, ".md") || base[0] == '.')
        return false;
    item->id = arena_text(keep, bytes_of(base, len - 3));
    item->tool = "";
    return true;
}

static quire_status collect_item(void *ctx, const char *base,
                                 const struct object_info *info,
                                 quire_error *err)
{
    struct listing *g = ctx;
    struct output_dir_item item = {0};

    if (!info || output_dir_is_removed(base) ||
        !read_name(base, g->keep, &item))
        return QUIRE_OK;
    item.name = name_in(g->dir, base, g->keep);
    item.info = *info;
    if (!item.name || !item.id || !item.tool)
        return err_memory(err);
    if (g->n == g->cap) {
        size_t cap = g->cap ? 2 * g->cap : 32;
        struct output_dir_item *more = arena_array(g->keep, cap, sizeof *more);

        if (!more)
            return err_memory(err);
        if (g->n > 0)
            memcpy(more, g->items, g->n * sizeof *more);
        g->items = more;
        g->cap = cap;
    }
    g->items[g->n++] = item;
    return QUIRE_OK;
}

/* Numbers by value, also at the beginning of ids: 9-a before 10-b. */
static int compare_items(const void *left, const void *right)
{
    const struct output_dir_item *a = left, *b = right;
    size_t na = strspn(a->id, "0123456789"), nb = strspn(b->id, "0123456789");
    unsigned long long va = strtoull(a->id, NULL, 10),
                       vb = strtoull(b->id, NULL, 10);
    int order = strcmp(a->id, b->id);

    if (!*a->tool != !*b->tool)
        return *a->tool ? -1 : 1;
    if (na && nb && va != vb)
        return va < vb ? -1 : 1;
    return order ? order : strcmp(a->name, b->name);
}

quire_status output_dir_list(struct output_dir *s, struct arena *keep,
                             struct output_dir_item **items, size_t *n,
                             quire_error *err)
{
    struct listing g = {.dir = s, .keep = keep};
    quire_status st = scan_dir(s, collect_item, &g, err);

    if (!st && g.n > 0)
        qsort(g.items, g.n, sizeof *g.items, compare_items);
    *items = g.items;
    *n = g.n;
    return st;
}
