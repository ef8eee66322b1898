/*
 * files.c - sessions in the older files of opencode: see rows.h
 *
 *     storage/session/<project>/ses_….json      a session
 *     storage/message/<session>/msg_….json      its messages
 *     storage/part/<message>/prt_….json         and their parts
 *     storage/todo/<session>.json
 *
 * They become the lines that the database has, where a row is {"file": path below
 * storage, "data": text}: nothing of a file is lost.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/err.h"
#include "base/fs.h"
#include "base/json.h"
#include "base/walk.h"
#include "import/opencode/rows.h"

enum { FILE_MAX = 128 << 20, NAME_SIZE = 512 };

/* "…/storage": where the last "/session/" is before the project. */
static const char *storage_of(struct arena *keep, const char *path)
{
    const char *at, *last = NULL;

    for (at = path; (at = strstr(at, "/session/")) != NULL; at++)
        last = at;
    return arena_text(keep, last ? bytes_of(path, (size_t)(last - path))
                                 : bytes_str("/"));
}

/* "ses_…" of "…/ses_….json" */
static quire_bytes base_id(const char *path)
{
    const char *base = name_base(path);
    size_t len = strlen(base);

    return bytes_of(base,
                    name_ends(base, ".json") ? len - strlen(".json") : len);
}

/* ---- extracting --------------------------------------------------------- */

struct extracting {
    struct database_lines l;
    int storage;
    const char *place; /* in messages */
    bool comma;
};

/* {"file": name, "data": its text} */
static quire_status add_file(struct extracting *x, const char *name,
                             quire_error *err)
{
    struct json_writer w;
    struct stat st;
    struct buf text = BUF_INIT(FILE_MAX);
    int fd = fs_open_beneath(x->storage, name, O_RDONLY | O_NONBLOCK, 0);
    ssize_t n = -1;
    void *room;

    if (fd < 0 || fstat(fd, &st) != 0) {
        n = errno;
        if (fd >= 0)
            close(fd);
        return err_sys(err, (int)n, "cannot read %s/%s", x->place, name);
    }
    if (!S_ISREG(st.st_mode) || st.st_size >= FILE_MAX) {
        close(fd);
        return err_set(err, QUIRE_IO, "%s/%s is too large", x->place, name);
    }
    room = buf_room(&text, (size_t)st.st_size + 1);
    if (room)
        n = fs_read_at(fd, room, (size_t)st.st_size, 0);
    close(fd);
    if (n < 0) {
        buf_release(&text);
        return room ? err_sys(err, errno, "cannot read %s/%s", x->place, name)
                    : err_memory(err);
    }
    buf_grow(&text, (size_t)n);
    json_begin(&w, &x->l.text);
    json_object(&w);
    json_put_str(&w, "file", name);
    json_key(&w, "data");
    sqlite_text_json(&w, buf_bytes(&text));
    json_object_end(&w);
    buf_release(&text);
    return database_write(&x->l, false, err);
}

static quire_status visit_part(void *ctx, const char *name,
                               const struct stat *st, quire_error *err)
{
    struct extracting *x = ctx;

    (void)st;
    if (!name_ends(name, ".json"))
        return QUIRE_OK;
    if (x->comma)
        buf_add_char(&x->l.text, ',');
    x->comma = true;
    return add_file(x, name, err);
}

static quire_status visit_message(void *ctx, const char *name,
                                  const struct stat *st, quire_error *err)
{
    struct extracting *x = ctx;
    quire_bytes id = base_id(name);
    char parts[NAME_SIZE];
    quire_status status;

    (void)st;
    if (!name_ends(name, ".json") || !database_is_id(id))
        return QUIRE_OK;
    snprintf(parts, sizeof parts, "part/%.*s", (int)id.len,
             (const char *)id.data);
    buf_add_str(&x->l.text, "{\"message\":");
    status = add_file(x, name, err);
    buf_add_str(&x->l.text, ",\"parts\":[");
    x->comma = false;
    if (!status)
        status = walk_files(x->storage, x->place, parts, visit_part, x, err);
    buf_add_str(&x->l.text, "]}\n");
    return status ? status : database_write(&x->l, false, err);
}

static quire_status visit_todo(void *ctx, const char *name,
                               const struct stat *st, quire_error *err)
{
    struct extracting *x = ctx;
    quire_status status;

    (void)st;
    buf_add_str(&x->l.text, "{\"table\":\"todo\",\"row\":");
    status = add_file(x, name, err);
    buf_add_str(&x->l.text, "}\n");
    return status;
}

static quire_status write_lines(struct extracting *x,
                                const struct import_found *f, quire_error *err)
{
    quire_bytes id = base_id(f->path);
    char name[NAME_SIZE];
    quire_status st;

    buf_add_str(&x->l.text, "{\"session\":");
    st = add_file(x, f->path + strlen(x->place) + 1, err);
    buf_add_str(&x->l.text, "}\n");
    snprintf(name, sizeof name, "message/%.*s", (int)id.len,
             (const char *)id.data);
    if (!st)
        st = walk_files(x->storage, x->place, name, visit_message, x, err);
    snprintf(name, sizeof name, "todo/%.*s.json", (int)id.len,
             (const char *)id.data);
    if (!st && faccessat(x->storage, name, R_OK, 0) == 0)
        st = visit_todo(x, name, NULL, err);
    return st ? st : database_write(&x->l, true, err);
}

static quire_status extract(const struct import_found *f, int fd,
                            quire_error *err)
{
    struct extracting x = {.place = f->from};
    quire_status st = fs_open_dir(f->from, false, &x.storage, err);

    if (st)
        return st;
    database_lines_init(&x.l, fd);
    st = write_lines(&x, f, err);
    buf_release(&x.l.text);
    close(x.storage);
    return st;
}

/* ---- finding ------------------------------------------------------------ */

/* What has changed is seen by the times and sizes of all files. */
struct summing {
    int storage;
    const char *place;
    uint64_t n, bytes, state;
    int64_t modified_ns;
};

static quire_status sum_file(void *ctx, const char *name, const struct stat *st,
                             quire_error *err)
{
    struct summing *s = ctx;
    int64_t ns = st->st_mtim.tv_sec * INT64_C(1000000000) + st->st_mtim.tv_nsec;

    (void)name, (void)err;
    s->n++;
    s->bytes += (uint64_t)st->st_size;
    s->state = s->state * 31 + (uint64_t)ns;
    s->state = s->state * 31 + (uint64_t)st->st_size;
    s->modified_ns = ns > s->modified_ns ? ns : s->modified_ns;
    return QUIRE_OK;
}

static quire_status sum_message(void *ctx, const char *name,
                                const struct stat *st, quire_error *err)
{
    struct summing *s = ctx;
    quire_bytes id = base_id(name);
    char parts[NAME_SIZE];

    sum_file(ctx, name, st, err);
    if (!database_is_id(id))
        return QUIRE_OK;
    snprintf(parts, sizeof parts, "part/%.*s", (int)id.len,
             (const char *)id.data);
    return walk_files(s->storage, s->place, parts, sum_file, s, err);
}

static quire_status sum_files(struct import_found *f, quire_bytes id,
                              const struct stat *st, quire_error *err)
{
    struct summing s = {.place = f->from};
    char name[NAME_SIZE];
    quire_status status = fs_open_dir(f->from, false, &s.storage, err);

    if (status)
        return status;
    sum_file(&s, "", st, err);
    snprintf(name, sizeof name, "message/%.*s", (int)id.len,
             (const char *)id.data);
    status = walk_files(s.storage, s.place, name, sum_message, &s, err);
    close(s.storage);
    f->size = s.bytes;
    f->inode = (s.state ^ s.n) >> 1;
    f->modified_ns = s.modified_ns;
    return status;
}

/* A few members of its file. */
static quire_status read_session(struct arena *keep, struct import_found *f,
                                 size_t prefix)
{
    struct json_want w[] = {JSON_WANT("parentID"), JSON_WANT("id")};
    char head[IMPORT_HEAD];
    quire_bytes parent;

    json_head(places_head(f->path, head), w, 2, NULL);
    if (json_kind(w[0].value) != JSON_STRING)
        return QUIRE_OK;
    parent = json_text(w[0].value, keep);
    if (parent.len > prefix && database_is_id(parent)) {
        f->parent = name_id_dashed(keep, bytes_sub(parent, prefix, parent.len));
        return f->parent ? QUIRE_OK : QUIRE_NO_MEMORY;
    }
    return QUIRE_OK;
}

quire_status opencode_add_file(struct import_place *at, const char *name,
                               const struct stat *st, quire_error *err)
{
    struct import_found f = places_found(at, name, st);
    size_t prefix = strlen("ses_");
    quire_status status;
    quire_bytes id;

    if (!f.path)
        return err_memory(err);
    id = base_id(f.path);
    if (!name_ends(f.path, ".json") || id.len <= prefix ||
        !bytes_starts(id, bytes_str("ses_")) || !database_is_id(id))
        return QUIRE_OK;
    f.from = storage_of(at->p->keep, f.path);
    f.id = name_id_dashed(at->p->keep, bytes_sub(id, prefix, id.len));
    f.extract = extract;
    f.is_rows = true;
    if (!f.from || !f.id || read_session(at->p->keep, &f, prefix))
        return err_memory(err);
    status = sum_files(&f, id, st, err);
    return status ? status : places_add(at->p, &f, err);
}
