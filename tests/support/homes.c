/* homes.c - see homes.h */
#include "support/homes.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "base/err.h"
#include "session/entry_lines.h"

quire *homes_open(const char *name)
{
    quire_options o = QUIRE_OPTIONS_INIT;
    quire *q;

    o.home = test_path(name);
    OK(quire_open(&o, &q, &test_err));
    return q;
}

/* ---- a stream ---------------------------------------------------------------- */

struct end {
    int fd;
    size_t left; /* bytes that may pass; SIZE_MAX: any number */
};

static quire_status read_end(void *ctx, void *buf, size_t cap, size_t *n,
                             quire_error *err)
{
    struct end *e = ctx;
    ssize_t got = e->left ? read(e->fd, buf, cap < e->left ? cap : e->left) : 0;

    if (got < 0)
        return err_sys(err, errno, "cannot read");
    if (e->left != SIZE_MAX)
        e->left -= (size_t)got;
    *n = (size_t)got;
    return QUIRE_OK;
}

static quire_status write_end(void *ctx, quire_bytes bytes, quire_error *err)
{
    struct end *e = ctx;
    const char *at = bytes.data;
    size_t len = bytes.len;

    while (len > 0) {
        ssize_t n = send(e->fd, at, len, MSG_NOSIGNAL);

        if (n < 0)
            return err_sys(err, errno, "cannot write");
        at += n;
        len -= (size_t)n;
    }
    return QUIRE_OK;
}

struct serving {
    quire_options o;
    struct end end;
};

static void *serve(void *ctx)
{
    struct serving *s = ctx;
    quire_sync_options o = QUIRE_SYNC_OPTIONS_INIT;
    quire_error err = {0};
    quire *q;

    if (!quire_open(&s->o, &q, &err)) {
        o.read = read_end;
        o.write = write_end;
        o.ctx = &s->end;
        quire_sync_serve(q, &o, NULL, &err);
        quire_close(q);
    }
    shutdown(s->end.fd, SHUT_RDWR);
    return NULL;
}

quire_status homes_sync_until(quire *a, const char *b, size_t limit,
                              quire_sync_result *out, quire_error *err)
{
    struct serving s = {.o = QUIRE_OPTIONS_INIT, .end = {.left = SIZE_MAX}};
    struct end own = {.left = SIZE_MAX};
    quire_sync_options o = QUIRE_SYNC_OPTIONS_INIT;
    char home[1024];
    pthread_t thread;
    int fds[2];
    quire_status st;

    YES(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) == 0);
    snprintf(home, sizeof home, "%s", test_path(b));
    s.o.home = home;
    s.end.fd = fds[1];
    own.fd = fds[0];
    if (limit % 2 == 1)
        s.end.left = limit;
    else if (limit)
        own.left = limit;
    YES(pthread_create(&thread, NULL, serve, &s) == 0);
    o.read = read_end;
    o.write = write_end;
    o.ctx = &own;
    st = quire_sync_home(a, &o, out, err);
    shutdown(own.fd, SHUT_RDWR);
    pthread_join(thread, NULL);
    close(fds[0]);
    close(fds[1]);
    return st;
}

quire_sync_result homes_sync(quire *a, const char *b)
{
    quire_sync_result r = {0};

    OK(homes_sync_until(a, b, 0, &r, &test_err));
    return r;
}

/* ---- what there is ----------------------------------------------------------- */

struct content {
    quire *q;
    struct buf out;
    const char *ids[256];
    size_t n;
    const char *session;
    size_t versions;
};

static quire_status add_entry(void *ctx, const quire_entry *e, quire_error *err)
{
    struct content *c = ctx;
    struct arena keep = ARENA_INIT;
    struct entry_line line;
    char hex[65];

    (void)err;
    YES(entry_line_read(e->json, &keep, &line));
    hex_encode(line.hash.byte, 32, hex);
    if (!line.marker)
        buf_addf(&c->out, "entry %s %s\n", c->session, hex);
    arena_release(&keep);
    return QUIRE_OK;
}

static quire_status add_id(void *ctx, const quire_session_info *info,
                           quire_error *err)
{
    struct content *c = ctx;

    (void)err;
    c->ids[c->n++] = strcpy(test_alloc(strlen(info->id) + 1), info->id);
    return QUIRE_OK;
}

static quire_status add_path(void *ctx, const quire_artifact *a,
                             quire_error *err)
{
    struct content *c = ctx;

    (void)err;
    c->ids[c->n++] = strcpy(test_alloc(strlen(a->path) + 1), a->path);
    return QUIRE_OK;
}

static quire_status add_version(void *ctx, const quire_artifact *a,
                                quire_error *err)
{
    struct content *c = ctx;
    char hex[65];

    (void)err;
    hex_encode(a->digest.byte, 32, hex);
    if (c->versions == 0)
        buf_addf(&c->out, "artifact %s %s is %s\n", c->session, a->path, hex);
    if (c->versions++ < 8)
        buf_addf(&c->out, "version %s %s %s\n", c->session, a->path, hex);
    return QUIRE_OK;
}

static quire_status add_memory(void *ctx, const quire_memory *m,
                               quire_error *err)
{
    struct content *c = ctx;

    (void)err;
    buf_addf(&c->out, "memory %.*s %.*s\n", (int)m->title.len,
             (const char *)m->title.data, (int)m->content.len,
             (const char *)m->content.data);
    return QUIRE_OK;
}

static quire_status add_file(void *ctx, const char *path, quire_error *err)
{
    struct content *c = ctx;
    const char *base = strrchr(path, '/') + 1;
    quire_bytes text;

    (void)err;
    if (strstr(base, ".jsonl"))
        return QUIRE_OK;
    text = test_read_file(path);
    buf_addf(&c->out, "output %s %.4s %.*s\n", c->session, base, (int)text.len,
             (const char *)text.data);
    return QUIRE_OK;
}

static void add_session(struct content *c, const char *id)
{
    quire_session_options o = QUIRE_SESSION_OPTIONS_INIT;
    struct content paths = {.q = c->q};
    quire_session *s;
    size_t i;

    c->session = id;
    o.flags = QUIRE_SESSION_READ;
    OK(quire_session_open(c->q, id, &o, &s, &test_err));
    OK(quire_session_entries(s, 0, add_entry, c, &test_err));
    OK(quire_session_files(s, add_file, c, &test_err));
    quire_session_close(s);
    quire_artifact_list(c->q, id, NULL, add_path, &paths, &test_err);
    for (i = 0; i < paths.n; i++) {
        c->versions = 0;
        OK(quire_artifact_versions(c->q, id, paths.ids[i], add_version, c,
                                   &test_err));
    }
}

static int compare_lines(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Sorted, each line once. */
static const char *sorted(char *text)
{
    char **lines = test_alloc((strlen(text) + 1) * sizeof *lines), *at, *out;
    size_t n = 0, i;

    for (at = strtok(text, "\n"); at; at = strtok(NULL, "\n"))
        lines[n++] = at;
    qsort(lines, n, sizeof *lines, compare_lines);
    out = test_alloc(strlen("") + 1 + (size_t)(1 << 20));
    *out = '\0';
    at = out;
    for (i = 0; i < n; i++)
        if (i == 0 || strcmp(lines[i], lines[i - 1]) != 0)
            at += sprintf(at, "%s\n", lines[i]);
    return out;
}

const char *homes_content(quire *q)
{
    struct content c = {.q = q, .out = BUF_INIT(1 << 20)};
    quire_memory_list_options m = QUIRE_MEMORY_LIST_OPTIONS_INIT;
    size_t i;
    char *text;

    OK(quire_session_list(q, NULL, add_id, &c, &test_err));
    for (i = 0; i < c.n; i++)
        add_session(&c, c.ids[i]);
    m.limit = 1000;
    quire_memory_list(q, &m, add_memory, &c, &test_err);
    buf_add_char(&c.out, '\0');
    text = strcpy(test_alloc(c.out.len), c.out.data);
    buf_release(&c.out);
    return sorted(text);
}

/* ---- making it ---------------------------------------------------------------- */

const char *homes_session(quire *q, const char *title)
{
    quire_session_options o = QUIRE_SESSION_OPTIONS_INIT;
    quire_session_info info;
    quire_session *s;
    char *id;

    o.flags = QUIRE_SESSION_AT_ONCE;
    o.title = title;
    o.cwd = "/srv/demo";
    OK(quire_session_new(q, &o, &s, &test_err));
    quire_session_describe(s, &info);
    id = strcpy(test_alloc(strlen(info.id) + 1), info.id);
    quire_session_close(s);
    return id;
}

const char *homes_append(quire *q, const char *session, const char *at,
                         const char *text)
{
    quire_append_options o = QUIRE_APPEND_OPTIONS_INIT;
    quire_appended out;
    quire_session *s;
    char json[512];

    snprintf(json, sizeof json,
             "{\"type\":\"message\",\"message\":{\"role\":\"user\","
             "\"content\":\"%s\"}}",
             text);
    o.at = at;
    OK(quire_session_open(q, session, NULL, &s, &test_err));
    OK(quire_session_append(s, bytes_str(json), &o, &out, &test_err));
    quire_session_close(s);
    return strcpy(test_alloc(strlen(out.id) + 1), out.id);
}

const char *homes_leaf(quire *q, const char *session)
{
    quire_session_options o = QUIRE_SESSION_OPTIONS_INIT;
    quire_session_info info;
    quire_session *s;
    quire_bytes id;
    char *text;

    o.flags = QUIRE_SESSION_READ;
    OK(quire_session_open(q, session, &o, &s, &test_err));
    quire_session_describe(s, &info);
    id = bytes_str(info.leaf ? info.leaf : "");
    entry_id_is_marker(id, &id);
    text = test_alloc(id.len + 1);
    memcpy(text, id.data, id.len);
    text[id.len] = '\0';
    quire_session_close(s);
    return text;
}

void homes_put(quire *q, const char *session, const char *path,
               const char *text)
{
    quire_artifact a;

    OK(quire_artifact_put(q, session, path, bytes_str(text), NULL, &a,
                          &test_err));
}

int64_t homes_remember(quire *q, const char *title, const char *content)
{
    quire_memory_options o = QUIRE_MEMORY_OPTIONS_INIT;
    quire_memory m;

    o.type = QUIRE_MEMORY_PROJECT;
    o.title = bytes_str(title);
    o.content = bytes_str(content);
    OK(quire_memory_add(q, NULL, &o, &m, &test_err));
    return m.id;
}

void homes_output(quire *q, const char *session, const char *name,
                  const char *text)
{
    quire_outputs *o;
    char path[1024];

    OK(quire_outputs_open(q, session, &o, &test_err));
    snprintf(path, sizeof path, "%s", quire_outputs_dir(o));
    mkdir(path, 0700);
    snprintf(path + strlen(path), sizeof path - strlen(path), "/%s", name);
    test_write_file(path, bytes_str(text));
    quire_outputs_close(o);
}
