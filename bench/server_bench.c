/*
 * server_bench.c - `quire serve` under load
 *
 *   GET          1 KB by its path, 64 connections that are kept; beside it nginx,
 *                which gives the same bytes from a file. Both have as many
 *                processes or threads as they like, and share the machine with
 *                the client.
 *   create       1 KB of text under a new path, on the disk before the answer:
 *                64 connections beside one.
 *   half load    GETs at half the rate of the first line, the slowest in a
 *                hundred beside the middle one. In many short runs, of which the
 *                middle one counts: a neighbour who takes the processor away for
 *                ten milliseconds is the slowest in a hundred of a whole second.
 *   list, search 200 artifacts a page, a word among 10,000 artifacts; beside the
 *                GETs. An answer that was given before and is still right costs
 *                little, so for information the same is asked with another file,
 *                another word each time.
 *   append,      to a session of 10 and of 100 MB, and the context of its short
 *   context      active branch; beside the same of an empty session.
 *   memory       idle, with 10,000 connections that say nothing, and
 *                when every thread has read.
 *
 * The home is on the disk that the scratch directory is on.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/fs.h"
#include "bench.h"
#include "load.h"
#include "session_make.h"

extern char **environ;

enum { SIZE = 1024, MANY = 64, ARTIFACTS = 10000, IDLE = 10000 };

#define GET         "serve: GET 1 KB, 64 connections"
#define CREATE      "serve: create 1 KB, 64 connections / one"
#define CREATE_TIME "serve: create 1 KB, processor time of the server"
#define HALF_LOAD   "serve: slowest in 100 at half load / middle"
#define NGINX_HALF  "nginx: slowest in 100 at half load / middle"
#define LIST        "serve: list of 200 / GET"
#define SEARCH      "serve: search among 10,000 / GET"
#define OTHER_GET   "serve: GET, another of 10,000 each time"
#define OTHER       "serve: search, another each time"
#define APPEND_10   "serve: append, session of 10 MB / empty"
#define APPEND_100  "serve: append, session of 100 MB / empty"
#define CONTEXT_10  "serve: context, session of 10 MB / empty"
#define CONTEXT_100 "serve: context, session of 100 MB / empty"
#define MEMORY      "serve: memory, idle"
#define CROWD       "serve: memory, 10,000 connections"
#define USED        "serve: memory, after these reads"

static char *arg(const char *text)
{
    return (char *)(uintptr_t)text;
}

/* ---- servers ------------------------------------------------------------ */

struct server {
    pid_t pid;
    uint16_t port;
};

/* Those that run, so that none is left when a measurement fails. */
static pid_t running[2];

static void end_process(pid_t pid)
{
    kill(pid, SIGTERM);
    while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        ;
}

static void end_all(void)
{
    size_t i;

    for (i = 0; i < 2; i++)
        if (running[i] > 0)
            end_process(running[i]);
}

static void note_process(pid_t old, pid_t new)
{
    static bool heeded;
    size_t i;

    if (!heeded)
        atexit(end_all);
    heeded = true;
    for (i = 0; i < 2; i++)
        if (running[i] == old) {
            running[i] = new;
            return;
        }
}

static void stop(struct server *s)
{
    if (s->pid <= 0)
        return;
    end_process(s->pid);
    note_process(s->pid, 0);
    s->pid = 0;
}

/* Start a program with its standard error in the file `said`. */
static pid_t start(char *const *argv, const char *said)
{
    posix_spawn_file_actions_t files;
    pid_t pid;
    int rc;

    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, 1, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&files, 2, said,
                                     O_WRONLY | O_CREAT | O_TRUNC, 0600);
    rc = posix_spawnp(&pid, argv[0], &files, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&files);
    if (!rc)
        note_process(0, pid);
    return rc ? -1 : pid;
}

static struct server start_ours(const struct bench *b, const char *home)
{
    char *argv[] = {arg(b->quire), arg("--home"),   arg(home),
                    arg("serve"),  arg("--listen"), arg("127.0.0.1:0"),
                    NULL};
    char *said = place_path(b, "said"), line[256] = "", *colon;
    struct server s = {.pid = start(argv, said)};
    int i, fd;
    ssize_t n;

    for (i = 0; s.pid > 0 && !strstr(line, "listening on") && i < 500; i++) {
        usleep(10000);
        fd = open(said, O_RDONLY | O_CLOEXEC);
        n = fd < 0 ? -1 : read(fd, line, sizeof line - 1);
        line[n > 0 ? n : 0] = '\0';
        if (fd >= 0)
            close(fd);
    }
    colon = strrchr(line, ':');
    if (!colon)
        bench_fail("the server does not listen: %s", line);
    s.port = (uint16_t)atoi(colon + 1);
    free(said);
    return s;
}

/* nginx with one file; .pid 0 if there is none on this machine. */
static struct server start_nginx(const struct bench *b, const struct buf *text)
{
    static const char pattern[] =
        "daemon off; pid %s/pid; error_log stderr crit; worker_processes auto;"
        "events { worker_connections 4096; } http { access_log off;"
        " keepalive_requests 100000000; sendfile on; tcp_nodelay on;"
        " open_file_cache max=100; client_body_temp_path %s/b;"
        " proxy_temp_path %s/p; fastcgi_temp_path %s/f; uwsgi_temp_path %s/u;"
        " scgi_temp_path %s/s;"
        " server { listen 127.0.0.1:%u; root %s; } }";
    char *dir = place_path(b, "nginx"), *conf = place_path(b, "nginx/conf"),
         *file = place_path(b, "nginx/a.txt"), *said = place_path(b, "n.said");
    char *argv[] = {arg("/usr/sbin/nginx"), arg("-c"), conf, NULL};
    struct buf words = BUF_INIT(1 << 16);
    struct server s = {.port = (uint16_t)(20000 + getpid() % 20000)};
    quire_error err;
    int fds[1], i, at, n = 0;

    if (access(argv[0], X_OK) < 0)
        goto out;
    buf_addf(&words, pattern, dir, dir, dir, dir, dir, dir, s.port, dir);
    bench_ok(fs_open_dir(dir, true, &at, &err), &err);
    bench_ok(fs_replace(at, "conf", buf_bytes(&words), &err), &err);
    bench_ok(fs_replace(at, "a.txt", buf_bytes(text), &err), &err);
    close(at);
    chmod(file, 0644);
    chmod(dir, 0755);
    s.pid = start(argv, said);
    for (i = 0; s.pid > 0 && n == 0 && i < 200; i++) {
        usleep(10000);
        n = load_idle(s.port, 1, fds);
    }
    if (n == 0)
        stop(&s);
    else
        close(fds[0]);
out:
    buf_release(&words);
    free(dir);
    free(conf);
    free(file);
    free(said);
    return s;
}

/* ---- what is asked ------------------------------------------------------ */

struct asking {
    char token[QUIRE_TOKEN_SIZE];
    int64_t conversation;
    const char *path; /* of GETs; '#' is another number each time */
    struct buf text;
};

static void spell_get(void *ctx, uint64_t n, struct buf *out)
{
    const struct asking *a = ctx;
    const char *sign = strchr(a->path, '#');

    buf_add_str(out, "GET ");
    buf_add(out, a->path, sign ? (size_t)(sign - a->path) : strlen(a->path));
    if (sign) /* 7919 is prime: all of them come before one comes again */
        buf_addf(out, "%llu%s",
                 (unsigned long long)(n * 7919 % (ARTIFACTS - 1)), sign + 1);
    buf_addf(out,
             " HTTP/1.1\r\nHost: 127.0.0.1\r\n"
             "Authorization: Bearer %s\r\n\r\n",
             a->token);
}

static void spell_create(void *ctx, uint64_t n, struct buf *out)
{
    struct asking *a = ctx;

    text_code(&a->text, n, SIZE);
    buf_addf(out,
             "PUT /v1/conversations/%lld/files/new/%llu.c HTTP/1.1\r\n"
             "Host: 127.0.0.1\r\nAuthorization: Bearer %s\r\n"
             "Content-Length: %d\r\n\r\n",
             (long long)a->conversation, (unsigned long long)n, a->token, SIZE);
    buf_add(out, a->text.data, a->text.len);
}

/* ---- the scene ---------------------------------------------------------- */

struct scene {
    char *home;
    struct asking a;
    char file[80], list[80], search[80], files[80], searches[80];
    struct server server;
};

/* Text with a word of its own each. */
static void put_artifacts(quire *q, struct scene *s, int n)
{
    quire_artifact one;
    quire_error err;
    char name[64], id[64];
    int i;

    make_empty(q, id);
    for (i = 0; i < n; i++) {
        char key[64];

        text_code(&s->a.text, (uint64_t)i, SIZE);
        snprintf(key, sizeof key, " needle%d ", i);
        memcpy(s->a.text.data + 100, key, strlen(key));
        snprintf(name, sizeof name, "src/%d.c", i);
        bench_ok(quire_artifact_put(q, id, name, buf_bytes(&s->a.text), NULL,
                                    &one, &err),
                 &err);
    }
    s->a.conversation = one.session_id;
}

static void furnish(struct scene *s, int n)
{
    quire_options o = QUIRE_OPTIONS_INIT;
    quire_tenant tenant;
    quire_error err;
    quire *q, *mine;
    char name[32];

    o.home = s->home;
    bench_ok(quire_open(&o, &q, &err), &err);
    bench_ok(quire_config_set(q, "durability", "flush", &err), &err);
    bench_ok(quire_config_set(q, "quota.session", "1073741824", &err), &err);
    bench_ok(quire_config_set(q, "quota.tenant", "1073741824", &err), &err);
    bench_ok(quire_tenant_add(q, "bench", s->a.token, &tenant, &err), &err);
    snprintf(name, sizeof name, "#%lld", (long long)tenant.id);
    o.tenant = name;
    bench_ok(quire_open(&o, &mine, &err), &err);
    put_artifacts(mine, s, n);
    quire_close(mine);
    bench_ok(quire_config_set(q, "durability", "each", &err), &err);
    quire_close(q);
}

static void scene_open(const struct bench *b, struct scene *s, int n)
{
    struct rlimit limit;

    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
    *s = (struct scene){.home = place_path(b, "home"),
                        .a = {.text = BUF_INIT(1 << 20)}};
    furnish(s, n);
    snprintf(s->file, sizeof s->file, "/v1/conversations/%lld/files/src/0.c",
             (long long)s->a.conversation);
    snprintf(s->list, sizeof s->list,
             "/v1/conversations/%lld/artifacts?limit=200",
             (long long)s->a.conversation);
    snprintf(s->search, sizeof s->search, "/v1/artifacts/search?q=needle77");
    snprintf(s->files, sizeof s->files, "/v1/conversations/%lld/files/src/#.c",
             (long long)s->a.conversation);
    snprintf(s->searches, sizeof s->searches, "/v1/artifacts/search?q=needle#");
    s->server = start_ours(b, s->home);
}

static void scene_close(const struct bench *b, struct scene *s)
{
    stop(&s->server);
    buf_release(&s->a.text);
    place_clear(b, "home");
    free(s->home);
}

/* ---- lines -------------------------------------------------------------- */

static double memory_of(pid_t pid)
{
    char path[64], line[128];
    double kib = 0;
    FILE *f;

    snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
    f = fopen(path, "re");
    while (f && fgets(line, sizeof line, f))
        if (!strncmp(line, "VmRSS:", 6))
            kib = strtod(line + 6, NULL);
    if (f)
        fclose(f);
    return kib / 1024;
}

static double seconds(const struct bench *b)
{
    return b->quick ? 0.2 : 1.5;
}

static struct load_result ask_for(struct scene *s, const char *path,
                                  int connections, double rate, double duration)
{
    struct load l = {.port = s->server.port,
                     .connections = connections,
                     .seconds = duration,
                     .rate = rate,
                     .spell = spell_get,
                     .ctx = &s->a,
                     .expected = 200};
    struct load_result r;

    s->a.path = path;
    r = load_run(&l);
    if (r.failures)
        bench_fail("%llu of %llu answers of %s are not 200",
                   (unsigned long long)r.failures,
                   (unsigned long long)r.answers, path);
    return r;
}

static struct load_result ask(const struct bench *b, struct scene *s,
                              const char *path, int connections)
{
    return ask_for(s, path, connections, 0, seconds(b));
}

/* The slowest in a hundred of those that come half as fast, beside the middle
 * one. */
static void half_load(const struct bench *b, struct scene *s, const char *path,
                      double rate, struct readings *out)
{
    struct load_result r;
    int i;

    for (i = 0; i < (b->quick ? 1 : 4); i++) {
        r = ask_for(s, path, MANY, rate / 2, b->quick ? 0.2 : 0.4);
        readings_add(out, r.p99_ms, r.median_ms);
    }
}

static void gets(struct bench *b)
{
    struct readings r = {.n = 0}, half = {.n = 0}, nginx_half = {.n = 0};
    int i, rounds = b->quick ? 2 : 7;
    struct server nginx, ours;
    struct scene s;

    scene_open(b, &s, 10);
    text_code(&s.a.text, 0, SIZE);
    nginx = start_nginx(b, &s.a.text);
    ours = s.server;
    for (i = 0; i < rounds; i++) {
        double rate = ask(b, &s, s.file, MANY).rate, theirs = 0;

        half_load(b, &s, s.file, rate, &half);
        if (nginx.pid) {
            s.server = nginx;
            theirs = ask(b, &s, "/a.txt", MANY).rate;
            half_load(b, &s, "/a.txt", theirs, &nginx_half);
            s.server = ours;
        }
        readings_add(&r, rate, theirs);
    }
    report(b,
           (struct line){GET, "per s", nginx.pid ? "nginx" : NULL,
                         nginx.pid ? NEED_RATIO : NEED_NOTHING, 0.5},
           &r);
    if (!nginx.pid)
        report_note(b, GET, "beside nothing: nginx is missing");
    report(b, (struct line){HALF_LOAD, "ms", "the middle one", NEED_BELOW, 20},
           &half);
    if (nginx.pid)
        report(b,
               (struct line){NGINX_HALF, "ms", "the middle one", NEED_NOTHING,
                             0},
               &nginx_half);
    stop(&nginx);
    scene_close(b, &s);
    place_clear(b, "nginx");
}

/* Processor time that a process has taken, in microseconds. */
static double time_of(pid_t pid)
{
    char path[64], text[1024] = "", *at;
    unsigned long user = 0, system = 0;
    FILE *f;

    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    f = fopen(path, "r");
    if (f && fread(text, 1, sizeof text - 1, f) > 0 &&
        (at = strrchr(text, ')')))
        sscanf(at + 2, "%*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu",
               &user, &system);
    if (f)
        fclose(f);
    return (double)(user + system) * 1e6 / (double)sysconf(_SC_CLK_TCK);
}

static double create(const struct bench *b, struct scene *s, int connections,
                     uint64_t *first)
{
    struct load l = {.port = s->server.port,
                     .connections = connections,
                     .seconds = seconds(b),
                     .spell = spell_create,
                     .ctx = &s->a,
                     .expected = 201,
                     .first = *first};
    struct load_result r = load_run(&l);

    if (r.failures)
        bench_fail("%llu of %llu artifacts were not created",
                   (unsigned long long)r.failures,
                   (unsigned long long)r.answers);
    *first += r.answers + MANY;
    return r.rate;
}

static void creates(struct bench *b)
{
    struct readings r = {.n = 0}, took = {.n = 0};
    int i, rounds = b->quick ? 2 : 7;
    uint64_t first = 0;
    struct scene s;

    scene_open(b, &s, 10);
    create(b, &s, 1, &first);
    for (i = 0; i < rounds; i++) {
        double began = time_of(s.server.pid), many;
        uint64_t before = first;

        many = create(b, &s, MANY, &first);
        readings_add(&took,
                     (time_of(s.server.pid) - began) /
                         (double)(first - before - MANY),
                     110);
        readings_add(&r, many, create(b, &s, 1, &first));
    }
    report(b, (struct line){CREATE, "per s", "one", NEED_RATIO, 15}, &r);
    report(b,
           (struct line){CREATE_TIME, "us", "microseconds allowed", NEED_BELOW,
                         1},
           &took);
    scene_close(b, &s);
}

static void lists(struct bench *b)
{
    struct readings list = {.n = 0}, search = {.n = 0};
    struct readings files = {.n = 0}, searches = {.n = 0}, used = {.n = 0};
    int i, rounds = b->quick ? 2 : 7;
    struct scene s;

    scene_open(b, &s, ARTIFACTS);
    for (i = 0; i < rounds; i++) {
        double get = ask(b, &s, s.file, MANY).rate;

        readings_add(&list, ask(b, &s, s.list, MANY).rate, get);
        readings_add(&search, ask(b, &s, s.search, MANY).rate, get);
        readings_add(&files, ask(b, &s, s.files, MANY).rate, get);
        readings_add(&searches, ask(b, &s, s.searches, MANY).rate, get);
    }
    report(b, (struct line){LIST, "per s", "GET 1 KB", NEED_RATIO, 0.3}, &list);
    report(b, (struct line){SEARCH, "per s", "GET 1 KB", NEED_RATIO, 0.3},
           &search);
    report(b, (struct line){OTHER_GET, "per s", "GET 1 KB", NEED_NOTHING, 0},
           &files);
    report(b, (struct line){OTHER, "per s", "GET 1 KB", NEED_NOTHING, 0},
           &searches);
    readings_add(&used, memory_of(s.server.pid), 1);
    report(b, (struct line){USED, "MiB", "one MiB", NEED_NOTHING, 0}, &used);
    scene_close(b, &s);
}

/* ---- sessions of any size ----------------------------------------------- */

static void spell_append(void *ctx, uint64_t n, struct buf *out)
{
    const struct asking *a = ctx;
    char body[64];
    int len = snprintf(body, sizeof body, "{\"message\":\"note %llu\"}",
                       (unsigned long long)n);

    buf_addf(out,
             "POST %s/messages HTTP/1.1\r\nHost: 127.0.0.1\r\n"
             "Authorization: Bearer %s\r\nContent-Length: %d\r\n\r\n%s",
             a->path, a->token, len, body);
}

/* A session of so many bytes, whose active branch is one short message. */
static void make_sized(struct scene *s, uint64_t bytes, char id[64])
{
    quire_options o = QUIRE_OPTIONS_INIT;
    quire_append_options root = QUIRE_APPEND_OPTIONS_INIT;
    struct buf entry = BUF_INIT(1 << 20);
    quire_session_info info;
    uint64_t n = 0, size = 0;
    quire_session *session;
    quire_error err;
    quire *q;

    o.home = s->home;
    o.tenant = "bench";
    bench_ok(quire_open(&o, &q, &err), &err);
    session = make_new(q, QUIRE_SESSION_AT_ONCE, QUIRE_SYNC_FLUSH);
    quire_session_describe(session, &info);
    snprintf(id, 64, "%s", info.id);
    for (; size < bytes; size += entry.len, n++) {
        buf_clear(&entry);
        make_message(&entry, n, 2500);
        bench_ok(quire_session_append(session, buf_bytes(&entry), NULL, NULL,
                                      &err),
                 &err);
    }
    buf_clear(&entry);
    make_message(&entry, n, 100);
    root.at = "root";
    bench_ok(quire_session_append(session, buf_bytes(&entry), &root, NULL,
                                  &err),
             &err);
    bench_ok(quire_session_flush(session, &err), &err);
    quire_session_close(session);
    quire_close(q);
    buf_release(&entry);
}

/* How long an append or a context takes, in milliseconds. The first one, which
 * loads the session, is not counted. */
static double time_session(const struct bench *b, struct scene *s,
                           const char *id, bool append)
{
    char path[128];
    struct load l = {.port = s->server.port,
                     .connections = 1,
                     .seconds = b->quick ? 0.1 : 0.4,
                     .spell = append ? spell_append : spell_get,
                     .ctx = &s->a,
                     .expected = append ? 201 : 200};
    struct load_result r;

    snprintf(path, sizeof path, "/v1/sessions/%s%s", id,
             append ? "" : "/context");
    s->a.path = path;
    r = load_run(&l);
    if (r.failures)
        bench_fail("%llu of %llu requests of %s failed",
                   (unsigned long long)r.failures,
                   (unsigned long long)r.answers, path);
    return r.median_ms;
}

static void sizes(struct bench *b)
{
    static const char *const names[2][2] = {{CONTEXT_10, CONTEXT_100},
                                            {APPEND_10, APPEND_100}};
    const uint64_t bytes[3] = {0, make_bytes(b) / 10, make_bytes(b)};
    struct readings r[2][2] = {{{.n = 0}}};
    int i, k, append, rounds = b->quick ? 2 : 9;
    char id[3][64];
    struct scene s;

    scene_open(b, &s, 1);
    for (k = 0; k < 3; k++)
        make_sized(&s, bytes[k], id[k]);
    /* Contexts first: appends make them longer. */
    for (append = 0; append < 2; append++)
        for (i = 0; i < rounds; i++) {
            double empty = time_session(b, &s, id[0], append);

            for (k = 0; k < 2; k++)
                readings_add(&r[append][k],
                             time_session(b, &s, id[k + 1], append), empty);
        }
    for (append = 0; append < 2; append++)
        for (k = 0; k < 2; k++)
            report(b,
                   (struct line){names[append][k], "ms", "empty", NEED_BELOW,
                                 1.2},
                   &r[append][k]);
    scene_close(b, &s);
}

/* ---- memory ------------------------------------------------------------- */

static void memory(struct bench *b)
{
    struct readings alone = {.n = 0}, crowd = {.n = 0};
    int *fds = calloc(IDLE, sizeof *fds), n, want = b->quick ? 100 : IDLE;
    struct scene s;

    if (!fds)
        bench_fail("no memory");
    scene_open(b, &s, 10);
    readings_add(&alone, memory_of(s.server.pid), 1);
    n = load_idle(s.server.port, want, fds);
    usleep(300000);
    if (n == want)
        readings_add(&crowd, memory_of(s.server.pid), 1);
    while (n > 0)
        close(fds[--n]);
    report(b, (struct line){MEMORY, "MiB", "one MiB", NEED_BELOW, 20}, &alone);
    if (crowd.n)
        report(b, (struct line){CROWD, "MiB", "one MiB", NEED_BELOW, 200},
               &crowd);
    else
        report_note(b, CROWD, "not measured: too few descriptors here");
    scene_close(b, &s);
    free(fds);
}

const struct measure serve_measures[] = {
    {gets, {GET, HALF_LOAD, NGINX_HALF}},
    {creates, {CREATE, CREATE_TIME}},
    {lists, {LIST, SEARCH, OTHER_GET, OTHER, USED}},
    {sizes, {APPEND_10, APPEND_100, CONTEXT_10, CONTEXT_100}},
    {memory, {MEMORY, CROWD}},
    {0},
};
