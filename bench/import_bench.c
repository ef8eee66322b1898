/*
 * import_bench.c - sessions of another agent, imported
 *
 * The sessions are lines as Claude Code writes them: prose, calls of tools, their
 * results twice (as the model got them, and as the program shows them), signatures
 * that do not shrink, and now and then an image, which a later line repeats.
 *
 *   first      A home without anything. The limit is reading and hashing the same
 *              files on all processors. Files of 100 KB to 4 MB.
 *   unchanged  Everything was imported. The limit is asking for size and time of
 *              all files.
 *   grown      One file of 100 MB has 10 KB more. The limit is reading these.
 *   disk       What the home takes, beside the files.
 *   memory     Of the first import, and of one file of 1 GB.
 *
 * All is a process, from its start to its end, with what it waits for the disk.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base64.h"
#include "base/bytes.h"
#include "base/fs.h"
#include "base/json.h"
#include "base/parallel.h"
#include "bench.h"
#include "blob/hash.h"

#define FIRST     "import, first time"
#define UNCHANGED "import, 10,000 files unchanged"
#define GROWN     "import, 100 MB grew by 10 KB"
#define DISK      "import, disk for originals and views"
#define MEMORY    "import, memory"
#define MEMORY_1  "import, memory of one file of 1 GB"

static char *arg(const char *text)
{
    return (char *)(uintptr_t)text;
}

/* ---- sessions ----------------------------------------------------------- */

struct writer {
    struct buf out, text, noise;
    uint64_t rng, seed;
    unsigned session, line;
};

static void begin_line(struct writer *w, const char *type)
{
    unsigned n = w->line++;

    buf_addf(&w->out, "{\"parentUuid\":");
    if (n == 0)
        buf_add_str(&w->out, "null");
    else
        buf_addf(&w->out, "\"%08x-0000-4000-8000-%012x\"", w->session, n - 1);
    buf_addf(&w->out,
             ",\"isSidechain\":false,\"userType\":\"external\",\"cwd\":"
             "\"/srv/project\",\"sessionId\":\"%08x-1111-4111-8111-"
             "000000000000\",\"version\":\"2.1.200\",\"gitBranch\":\"main\","
             "\"type\":\"%s\",\"uuid\":\"%08x-0000-4000-8000-%012x\","
             "\"timestamp\":\"2026-03-%02uT%02u:%02u:%02u.000Z\",",
             w->session, type, w->session, n, 1 + w->line / 86400 % 28,
             w->line / 3600 % 24, w->line / 60 % 60, w->line % 60);
}

static void add_text(struct writer *w)
{
    json_add_quoted(&w->out, buf_bytes(&w->text));
}

static void add_noise(struct writer *w, uint64_t seed, size_t len)
{
    text_noise(&w->noise, seed, len);
    buf_add_char(&w->out, '"');
    base64_encode(buf_bytes(&w->noise), &w->out);
    buf_add_char(&w->out, '"');
}

static void add_answer(struct writer *w, unsigned turn)
{
    begin_line(w, "assistant");
    buf_addf(&w->out,
             "\"requestId\":\"req_%u\",\"message\":{\"id\":\"msg_%08x%u\","
             "\"type\":\"message\",\"role\":\"assistant\",\"model\":"
             "\"claude-opus-4\",\"content\":[{\"type\":\"thinking\","
             "\"thinking\":",
             turn, w->session, turn);
    text_code(&w->text, w->seed++, 200 + text_rnd(&w->rng, 600));
    add_text(w);
    buf_add_str(&w->out, ",\"signature\":");
    add_noise(w, w->seed++, 300 + text_rnd(&w->rng, 300));
    buf_addf(&w->out,
             "},{\"type\":\"tool_use\",\"id\":\"toolu_%08x%u\",\"name\":"
             "\"Bash\",\"input\":{\"command\":",
             w->session, turn);
    text_code(&w->text, w->seed++, 80 + text_rnd(&w->rng, 200));
    add_text(w);
    buf_add_str(&w->out,
                "}}],\"stop_reason\":\"tool_use\",\"usage\":{\"input_tokens\":"
                "10,\"cache_creation_input_tokens\":900,"
                "\"cache_read_input_tokens\":30000,\"output_tokens\":300}}}\n");
}

static void add_result(struct writer *w, unsigned turn)
{
    begin_line(w, "user");
    text_output(&w->text, w->seed++,
                text_output_size((int)text_rnd(&w->rng, 1000)));
    buf_addf(&w->out,
             "\"message\":{\"role\":\"user\",\"content\":[{\"tool_use_id\":"
             "\"toolu_%08x%u\",\"type\":\"tool_result\",\"content\":",
             w->session, turn);
    add_text(w);
    buf_add_str(&w->out, "}]},\"toolUseResult\":{\"stdout\":");
    add_text(w);
    buf_add_str(&w->out, ",\"stderr\":\"\",\"interrupted\":false}}\n");
}

static void add_prompt(struct writer *w, unsigned turn)
{
    begin_line(w, "user");
    text_code(&w->text, w->seed++, 100 + text_rnd(&w->rng, 400));
    buf_add_str(&w->out, "\"message\":{\"role\":\"user\",\"content\":");
    if (turn % 300 == 150) { /* every image is there twice */
        buf_add_str(&w->out, "[{\"type\":\"image\",\"source\":{\"type\":"
                             "\"base64\",\"media_type\":\"image/png\","
                             "\"data\":");
        add_noise(w, w->session * 1000 + turn / 600, 60000);
        buf_add_str(&w->out, "}},{\"type\":\"text\",\"text\":");
        add_text(w);
        buf_add_str(&w->out, "}]");
    } else {
        add_text(w);
    }
    buf_add_str(&w->out, "}}\n");
}

static void add_turn(struct writer *w, unsigned turn)
{
    if (turn % 10 == 0)
        add_prompt(w, turn);
    add_answer(w, turn);
    add_result(w, turn);
}

static int open_new(const char *dir, unsigned session)
{
    char path[600];
    int fd;

    snprintf(path, sizeof path, "%s/%08x-1111-4111-8111-000000000000.jsonl",
             dir, session);
    fd = open(path, O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0600);
    if (fd < 0)
        bench_fail("cannot make %s: %s", path, strerror(errno));
    return fd;
}

/* A session of about `size` bytes; how many there are. */
static uint64_t make_session(const char *dir, unsigned session, uint64_t size)
{
    struct writer w = {.out = BUF_INIT((size_t)64 << 20),
                       .text = BUF_INIT((size_t)64 << 20),
                       .noise = BUF_INIT((size_t)64 << 20),
                       .rng = 88172645463325252u + session,
                       .seed = (uint64_t)session << 32,
                       .session = session};
    int fd = open_new(dir, session);
    uint64_t done = 0;
    unsigned turn;

    for (turn = 0; done + w.out.len < size; turn++) {
        add_turn(&w, turn);
        if (w.out.len < 1 << 20)
            continue;
        if (fs_write_all(fd, buf_bytes(&w.out)) < 0)
            bench_fail("cannot write a session");
        done += w.out.len;
        buf_clear(&w.out);
    }
    if (fs_write_all(fd, buf_bytes(&w.out)) < 0)
        bench_fail("cannot write a session");
    done += w.out.len;
    close(fd);
    buf_release(&w.out);
    buf_release(&w.text);
    buf_release(&w.noise);
    return done;
}

/* ---- limits ------------------------------------------------------------- */

struct files {
    char *path[10240];
    int n;
    uint64_t bytes;
    atomic_int next;
};

static void list_files(struct files *f, const char *dir)
{
    struct dirent *e;
    DIR *d = opendir(dir);

    f->n = 0;
    while (d && (e = readdir(d)) != NULL && f->n < 10240)
        if (e->d_name[0] != '.' &&
            asprintf(&f->path[f->n++], "%s/%s", dir, e->d_name) < 0)
            bench_fail("no memory");
    if (d)
        closedir(d);
}

static void free_files(struct files *f)
{
    while (f->n > 0)
        free(f->path[--f->n]);
}

static void *read_and_hash(void *ctx)
{
    struct files *f = *(struct files **)ctx;
    char *buf = malloc(256 << 10);
    quire_digest digest;
    ssize_t n;
    int i, fd;

    while (buf && (i = atomic_fetch_add(&f->next, 1)) < f->n) {
        fd = open(f->path[i], O_RDONLY | O_CLOEXEC);
        while (fd >= 0 && (n = read(fd, buf, 256 << 10)) > 0)
            hash_bytes(bytes_of(buf, (size_t)n), &digest);
        if (fd >= 0)
            close(fd);
    }
    free(buf);
    return NULL;
}

static double time_to_hash(struct files *f)
{
    struct files *parts[8] = {f, f, f, f, f, f, f, f};
    double began = now_s();

    atomic_store(&f->next, 0);
    parallel_parts(read_and_hash, parts, sizeof *parts, parallel_n_threads());
    return now_s() - began;
}

static double time_to_stat(const struct files *f)
{
    double began = now_s();
    struct stat st;
    int i;

    for (i = 0; i < f->n; i++)
        if (stat(f->path[i], &st) != 0)
            bench_fail("a file has gone");
    return now_s() - began;
}

/* ---- the program -------------------------------------------------------- */

struct imports {
    struct bench *b;
    char *from, *home;
    char *command[8];
};

static void begin(struct imports *m, struct bench *b)
{
    m->b = b;
    m->from = place_path(b, "agent");
    m->home = place_path(b, "home");
    if (mkdir(m->from, 0700) != 0)
        bench_fail("cannot make %s: %s", m->from, strerror(errno));
    m->command[0] = arg(b->quire);
    m->command[1] = arg("--home");
    m->command[2] = m->home;
    m->command[3] = arg("import");
    m->command[4] = arg("--from");
    m->command[5] = m->from;
    m->command[6] = NULL;
}

static void end(struct imports *m)
{
    place_clear(m->b, "agent");
    place_clear(m->b, "home");
    free(m->from);
    free(m->home);
}

static double time_of(const struct imports *m)
{
    double began = now_s();

    if (place_run(m->command, NULL, NULL))
        bench_fail("quire import did not run");
    return now_s() - began;
}

static double disk_of(const struct imports *m)
{
    char *argv[] = {arg("du"), arg("-sk"), m->home, NULL};
    double kib;

    if (!place_numbers(m->b, argv, &kib, 1))
        bench_fail("du did not run");
    return kib * 1024;
}

static void first(struct bench *b)
{
    uint64_t total = (uint64_t)(b->quick ? 20 : 1024) << 20, bytes = 0;
    struct readings speed = {.n = 0}, disk = {.n = 0}, memory = {.n = 0};
    struct files *files = calloc(1, sizeof *files);
    struct imports m;
    double took;
    unsigned i;

    begin(&m, b);
    for (i = 0; bytes < total; i++)
        bytes += make_session(m.from, i,
                              (uint64_t)(100 << 10) << (i * 7 % 16 / 3));
    list_files(files, m.from);
    time_to_hash(files);
    for (i = 0; i < (b->quick ? 1 : 3); i++) {
        place_clear(b, "home");
        took = time_of(&m);
        readings_add(&speed, (double)bytes / took / 1e6,
                     (double)bytes / time_to_hash(files) / 1e6);
    }
    report(b,
           (struct line){FIRST, "MB/s", "reading and hashing", NEED_RATIO,
                         0.25},
           &speed);
    report_note(b, FIRST, "%d files, %.0f MB", files->n, (double)bytes / 1e6);
    readings_add(&disk, disk_of(&m) / 1e6, (double)bytes / 1e6);
    report(b, (struct line){DISK, "MB", "the originals", NEED_BELOW, 0.5},
           &disk);
    place_clear(b, "home");
    readings_add(&memory, peak_mib(b, m.command, "/dev/null", &took), 64);
    report(b, (struct line){MEMORY, "MiB", "what it may take", NEED_BELOW, 1},
           &memory);
    free_files(files);
    free(files);
    end(&m);
}

static void unchanged(struct bench *b)
{
    int n = b->quick ? 200 : 10000, i;
    struct files *files = calloc(1, sizeof *files);
    struct readings r = {.n = 0};
    struct imports m;

    begin(&m, b);
    for (i = 0; i < n; i++)
        make_session(m.from, (unsigned)i, 4000);
    list_files(files, m.from);
    time_of(&m);
    for (i = 0; i < (b->quick ? 3 : 15); i++)
        readings_add(&r, time_of(&m) * 1e3, time_to_stat(files) * 1e3);
    report(b, (struct line){UNCHANGED, "ms", "stat of each", NEED_BELOW, 1.5},
           &r);
    free_files(files);
    free(files);
    end(&m);
}

static void grown(struct bench *b)
{
    struct readings r = {.n = 0};
    struct imports m;
    char path[600];
    double began, limit;
    struct writer w = {.out = BUF_INIT((size_t)64 << 20),
                       .text = BUF_INIT((size_t)64 << 20),
                       .noise = BUF_INIT((size_t)64 << 20),
                       .rng = 1,
                       .seed = 1,
                       .line = 10000000};
    int i, fd;

    begin(&m, b);
    make_session(m.from, 0, (uint64_t)(b->quick ? 10 : 100) << 20);
    time_of(&m);
    snprintf(path, sizeof path, "%s/%08x-1111-4111-8111-000000000000.jsonl",
             m.from, 0);
    for (i = 0; i < (b->quick ? 3 : 15); i++) {
        buf_clear(&w.out);
        while (w.out.len < 10000)
            add_turn(&w, w.line);
        fd = open(path, O_RDWR | O_APPEND | O_CLOEXEC);
        if (fd < 0 || fs_write_all(fd, buf_bytes(&w.out)) < 0)
            bench_fail("cannot append to %s", path);
        began = now_s();
        if (pread(fd, w.out.data, w.out.len, 0) < 0)
            bench_fail("cannot read %s", path);
        limit = (now_s() - began) * 1e3;
        close(fd);
        readings_add(&r, time_of(&m) * 1e3, limit);
    }
    report(b, (struct line){GROWN, "ms", "reading them", NEED_WITHIN, 20}, &r);
    buf_release(&w.out);
    buf_release(&w.text);
    buf_release(&w.noise);
    end(&m);
}

static void large(struct bench *b)
{
    struct readings r = {.n = 0};
    struct imports m;
    double took;

    begin(&m, b);
    make_session(m.from, 0, (uint64_t)(b->quick ? 20 : 1024) << 20);
    readings_add(&r, peak_mib(b, m.command, "/dev/null", &took), 64);
    report(b, (struct line){MEMORY_1, "MiB", "what it may take", NEED_BELOW, 1},
           &r);
    end(&m);
}

const struct measure import_measures[] = {
    {first, {FIRST, DISK, MEMORY, NULL}},
    {unchanged, {UNCHANGED, NULL}},
    {grown, {GROWN, NULL}},
    {large, {MEMORY_1, NULL}},
    {NULL, {NULL}},
};
