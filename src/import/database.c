/* database.c - see database.h */
#include "import/database.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/err.h"
#include "base/fs.h"
#include "base/json.h"
#include "base/map.h"
#include "import/agent.h"

enum {
    ID_MAX = 120,
    TRIES = 4,
    WRITE_BYTES = 1 << 20,
    ROW_BYTES = 512, /* of a row, for the progress of an import */
};
#define CEILING ((size_t)1 << 30)

/* ---- finding ------------------------------------------------------------ */

bool database_is_id(quire_bytes id)
{
    const char *at = id.data;
    size_t i;

    for (i = 0; i < id.len; i++)
        if ((at[i] < '0' || at[i] > '9') && (at[i] < 'a' || at[i] > 'z') &&
            (at[i] < 'A' || at[i] > 'Z') && at[i] != '-' && at[i] != '_' &&
            at[i] != '$')
            return false;
    return id.len > 0 && id.len <= ID_MAX;
}

static const char *our_id(struct arena *keep, quire_bytes id, size_t prefix)
{
    if (id.len > prefix)
        id = bytes_sub(id, prefix, id.len);
    return name_id_dashed(keep, id);
}

/* A text of one line without NUL, else NULL. */
static const char *plain_text(struct arena *keep, quire_bytes text)
{
    return text.len && !memchr(text.data, '\0', text.len)
               ? arena_text(keep, text)
               : NULL;
}

/* Another number for another state of its rows. */
static uint64_t fingerprint(const struct database_session *s)
{
    static const uint64_t seed[2] = {0x71756972, 7};
    uint64_t numbers[3] = {s->state, s->n_rows, (uint64_t)s->modified_ms};

    return map_hash(seed, bytes_of(numbers, sizeof numbers)) >> 1;
}

quire_status database_add(struct import_place *at, const char *file,
                          const struct database_session *s,
                          import_extract_fn extract, quire_error *err)
{
    struct arena *keep = at->p->keep;
    bool is_id = database_is_id(s->id);
    struct import_found f = {.agent = at->agent,
                             .extract = extract,
                             .from = file,
                             .replaces = s->replaces,
                             .is_rows = true,
                             .is_main = true,
                             .inode = fingerprint(s)};

    f.path = is_id ? arena_printf(keep, "%s#%.*s", file, (int)s->id.len,
                                  (const char *)s->id.data)
                   : file;
    f.id = our_id(keep, s->id, s->prefix);
    if (!is_id)
        f.unreadable = "has a session whose id cannot be part of a path";
    if (database_is_id(s->parent)) {
        f.parent = our_id(keep, s->parent, s->prefix);
        if (!f.parent)
            return err_memory(err);
    }
    f.title = plain_text(keep, s->title);
    f.cwd = plain_text(keep, s->cwd);
    if (s->n_rows < UINT64_MAX / ROW_BYTES)
        f.size = s->n_rows * ROW_BYTES;
    if (s->modified_ms > 0 && s->modified_ms < INT64_MAX / 1000000)
        f.modified_ns = s->modified_ms * 1000000;
    return places_add(at->p, &f, err);
}

quire_status database_find(struct import_place *at, const char *file,
                           database_is_fn is_ours, database_list_fn list,
                           void *ctx, quire_error *err)
{
    struct import_found f = {.agent = at->agent,
                             .path = file,
                             .id = "unreadable",
                             .is_main = true};
    struct sqlite_reader *r;
    quire_error why = {0};
    quire_status st = places_spot(at->p, at->agent, file, false, err);

    if (st)
        return st;
    st = sqlite_reader_open(file, &r, &why);
    if (!st && is_ours(r))
        st = list(r, ctx, &why);
    sqlite_reader_close(r);
    if (!st)
        return QUIRE_OK;
    if (st == QUIRE_NO_MEMORY)
        return err_memory(err);
    f.unreadable = arena_printf(at->p->keep, "cannot be read: %s", why.what);
    return f.unreadable ? places_add(at->p, &f, err) : err_memory(err);
}

bool database_is(const struct import_candidate *f, database_is_fn is_ours)
{
    struct sqlite_reader *r;
    bool is;

    if (!bytes_starts(f->head, bytes_of("SQLite format 3", 16)))
        return false;
    is = !sqlite_reader_open(f->path, &r, NULL) && is_ours(r);
    sqlite_reader_close(r);
    return is;
}

struct listing {
    struct import_place *at;
    const char *file;
    import_extract_fn extract;
};

enum { LISTED_ROWS = 4, LISTED_TIME, LISTED_STATE };

static int64_t ms_of(int64_t time)
{
    return time > -100000000000 && time < 100000000000 ? time * 1000 : time;
}

static quire_status add_listed(void *ctx, const struct sqlite_row *row,
                               quire_error *err)
{
    static const uint64_t seed[2] = {0x71756972, 8};
    struct listing *l = ctx;
    struct database_session s = {
        .id = sqlite_row_text(row, 0),
        .parent = sqlite_row_text(row, 1),
        .title = sqlite_row_text(row, 2),
        .cwd = sqlite_row_text(row, 3),
        .n_rows = (uint64_t)sqlite_row_int(row, LISTED_ROWS),
        .modified_ms = ms_of(sqlite_row_int(row, LISTED_TIME)),
    };
    int i;

    for (i = LISTED_STATE; i < sqlite_row_columns(row); i++) {
        s.state = s.state * 31 + (uint64_t)sqlite_row_int(row, i);
        s.state = s.state * 31 + map_hash(seed, sqlite_row_text(row, i));
    }
    return database_add(l->at, l->file, &s, l->extract, err);
}

quire_status database_add_listed(struct sqlite_reader *r,
                                 struct import_place *at, const char *file,
                                 const char *sql, import_extract_fn extract,
                                 quire_error *err)
{
    struct listing l = {at, file, extract};

    return sqlite_reader_query(r, sql, NULL, NULL, add_listed, &l, err);
}

const char *database_column(struct sqlite_reader *r, const char *table,
                            const char *name)
{
    return sqlite_reader_has(r, table, name) ? name : "NULL";
}

const char *database_id(const struct import_found *f)
{
    const char *mark = strrchr(f->path, '#');

    return mark ? mark + 1 : "";
}

/* ---- lines -------------------------------------------------------------- */

void database_lines_init(struct database_lines *l, int fd)
{
    *l = (struct database_lines){.fd = fd, .text = BUF_INIT(CEILING)};
}

quire_status database_write(struct database_lines *l, bool all,
                            quire_error *err)
{
    quire_status st = buf_status(&l->text, "the rows of a session", err);

    if (st || (!all && l->text.len < WRITE_BYTES))
        return st;
    if (fs_write_all(l->fd, buf_bytes(&l->text)) != 0)
        return err_sys(err, errno, "cannot write a temporary file");
    if (l->text.cap > 4 * WRITE_BYTES)
        buf_release(&l->text);
    else
        buf_clear(&l->text);
    return QUIRE_OK;
}

struct table {
    struct database_lines *l;
    const char *name;
    bool is_row;
};

static quire_status add_line(void *ctx, const struct sqlite_row *row,
                             quire_error *err)
{
    struct table *t = ctx;
    struct buf *out = &t->l->text;

    buf_addf(out,
             t->is_row ? "{\"%s\":" : "{\"table\":\"%s\",\"row\":", t->name);
    sqlite_row_json(row, out);
    buf_add_str(out, "}\n");
    return database_write(t->l, false, err);
}

quire_status database_add_table(struct database_lines *l, const char *table,
                                const char *sql, quire_error *err)
{
    struct table t = {l, table, false};

    return sqlite_reader_query(l->r, sql, l->id, NULL, add_line, &t, err);
}

quire_status database_add_row(struct database_lines *l, const char *name,
                              const char *sql, quire_error *err)
{
    struct table t = {l, name, true};

    return sqlite_reader_query(l->r, sql, l->id, NULL, add_line, &t, err);
}

/* ---- extracting --------------------------------------------------------- */

static quire_status extract_once(const struct import_found *f,
                                 struct database_lines *l,
                                 database_write_fn write, quire_error *err)
{
    quire_status st;

    if (ftruncate(l->fd, 0) != 0 || lseek(l->fd, 0, SEEK_SET) != 0)
        return err_sys(err, errno, "cannot write a temporary file");
    st = sqlite_reader_open(f->from, &l->r, err);
    if (!st)
        st = write(l, err);
    if (!st)
        st = database_write(l, true, err);
    if (!st)
        st = sqlite_reader_settle(l->r, err);
    sqlite_reader_close(l->r);
    return st;
}

quire_status database_extract(const struct import_found *f, int fd,
                              database_write_fn write, quire_error *err)
{
    struct database_lines l;
    quire_status st = QUIRE_BUSY;
    int tries;

    for (tries = 0; st == QUIRE_BUSY && tries < TRIES; tries++) {
        database_lines_init(&l, fd);
        l.id = database_id(f);
        st = extract_once(f, &l, write, err);
        buf_release(&l.text);
    }
    return st;
}
