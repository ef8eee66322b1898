/* flip.c - see flip.h */
#include "support/flip.h"

#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base64.h"
#include "base/buf.h"
#include "base/bytes.h"

/* ---- hearing ------------------------------------------------------------ */

static void note(struct heard *h, const char *how, const quire_problem *p)
{
    size_t len = strlen(h->text);

    snprintf(h->text + len, sizeof h->text - len, "%s%s %s %s\n", how, p->where,
             p->kind, p->what);
}

static quire_status hear(void *ctx, const quire_problem *p, quire_error *err)
{
    struct heard *h = ctx;

    (void)err;
    YES(*p->what);
    YES(*p->next);
    h->n++;
    note(h, "", p);
    return QUIRE_OK;
}

static quire_status hear_mended(void *ctx, const quire_problem *p,
                                quire_error *err)
{
    struct heard *h = ctx;

    (void)err;
    h->mended++;
    note(h, "mended: ", p);
    return QUIRE_OK;
}

static struct heard run(const char *name, unsigned flags, bool repair)
{
    struct heard h = {.status = QUIRE_OK};
    quire_check_hooks hooks = {.size = sizeof hooks,
                               .problem = hear,
                               .ctx = &h,
                               .mended = hear_mended,
                               .summary = &h.sum};
    quire_options o = QUIRE_OPTIONS_INIT;
    quire_error err = {0};
    quire *q;

    o.home = test_path(name);
    o.tenant = "default";
    o.busy_ms = 5000;
    o.flags = repair ? 0 : QUIRE_READ_ONLY;
    h.status = quire_open(&o, &q, &err);
    if (!h.status) {
        h.status = repair ? quire_repair(q, flags, &hooks, &err)
                          : quire_check(q, flags, &hooks, &err);
        quire_close(q);
    }
    if (h.status)
        snprintf(h.text, sizeof h.text, "%s", err.what);
    return h;
}

struct heard flip_check(const char *name, unsigned flags)
{
    return run(name, flags, false);
}

struct heard flip_repair(const char *name, unsigned flags)
{
    return run(name, flags, true);
}

/* ---- files -------------------------------------------------------------- */

static const char *find_ending;
static int find_left;
static char *find_found;

static int see(const char *path, const struct stat *st, int type,
               struct FTW *ftw)
{
    size_t len = strlen(path), n = strlen(find_ending);

    (void)st;
    (void)ftw;
    if (type != FTW_F || len < n || strcmp(path + len - n, find_ending) != 0 ||
        find_left-- > 0)
        return 0;
    find_found = strcpy(test_alloc(len + 1), path);
    return 1;
}

const char *flip_find(const char *dir, const char *ending, int n)
{
    find_ending = ending;
    find_left = n;
    find_found = NULL;
    nftw(dir, see, 16, FTW_PHYS);
    return find_found;
}

const char *flip_session(const char *name, int n)
{
    return flip_find(test_path(name), ".jsonl", n);
}

void flip_bit(const char *path, size_t at, int bit)
{
    int fd = open(path, O_RDWR | O_CLOEXEC);
    unsigned char c;

    YES(fd >= 0);
    EQ(1, pread(fd, &c, 1, (off_t)at));
    c ^= (unsigned char)(1u << bit);
    EQ(1, pwrite(fd, &c, 1, (off_t)at));
    close(fd);
}

/* ---- homes -------------------------------------------------------------- */

static quire *open_home(const char *name, quire_kind kind, const char *tenant)
{
    quire_options o = QUIRE_OPTIONS_INIT;
    quire *q;

    o.home = test_path(name);
    o.kind = kind;
    o.tenant = tenant;
    o.busy_ms = 5000;
    OK(quire_open(&o, &q, &test_err));
    return q;
}

static void append(quire_session *s, const char *line)
{
    OK(quire_session_append(s, bytes_str(line), NULL, NULL, &test_err));
}

/* A session with an image and a few messages. */
static const char *make_session(quire *q, const char *title, uint64_t seed)
{
    quire_session_options o = QUIRE_SESSION_OPTIONS_INIT;
    struct buf line = BUF_INIT(1 << 20), image = BUF_INIT(1 << 20);
    quire_session_info info;
    quire_session *s;
    char noise[900];
    char *id;
    int i;

    o.cwd = "/work";
    o.title = title;
    o.flags = QUIRE_SESSION_AT_ONCE;
    OK(quire_session_new(q, &o, &s, &test_err));
    test_noise(seed, noise, sizeof noise);
    base64_encode(bytes_of(noise, sizeof noise), &image);
    buf_addf(&line,
             "{\"type\":\"message\",\"message\":{\"role\":\"user\",\"content\":"
             "[{\"type\":\"image\",\"data\":\"%.*s\",\"mimeType\":"
             "\"image/png\"}]}}",
             (int)image.len, image.data);
    append(s, buf_text(&line));
    for (i = 0; i < 3; i++)
        append(s, "{\"type\":\"message\",\"message\":{\"role\":\"assistant\","
                  "\"content\":\"an answer\",\"usage\":{\"input\":10,"
                  "\"output\":20}}}");
    quire_session_describe(s, &info);
    id = strcpy(test_alloc(strlen(info.id) + 1), info.id);
    quire_session_close(s);
    buf_release(&line);
    buf_release(&image);
    return id;
}

static void put_blob(quire *q, uint64_t seed, size_t len)
{
    char *noise = test_alloc(len);
    quire_blob_info info;

    test_noise(seed, noise, len);
    OK(quire_blob_put(q, bytes_of(noise, len), 0, &info, &test_err));
}

static void remember(quire *q, const char *title, int64_t artifact)
{
    quire_memory_options o = QUIRE_MEMORY_OPTIONS_INIT;

    o.type = QUIRE_MEMORY_PROJECT;
    o.title = bytes_str(title);
    o.content = bytes_str("what there is to say of a walrus and a penguin");
    o.artifact = artifact;
    OK(quire_memory_add(q, NULL, &o, NULL, &test_err));
}

static quire_status pass_over(void *ctx, const quire_session_row *row,
                              quire_error *err)
{
    (void)ctx;
    (void)row;
    (void)err;
    return QUIRE_OK;
}

static void furnish_tenant(quire *q, uint64_t seed)
{
    const char *first = make_session(q, "the first one", seed);
    const char *away = make_session(q, "put away", seed + 1);
    static const char *const texts[] = {"walrus one", "walrus two is longer",
                                        "a third walrus"};
    quire_memory old;
    quire_artifact a;
    const char *path;
    int i;

    OK(quire_session_archive(q, away, &path, &test_err));
    for (i = 0; i < 3; i++)
        OK(quire_artifact_put(q, first, "notes/a.md", bytes_str(texts[i]), NULL,
                              &a, &test_err));
    OK(quire_artifact_put(q, NULL, "b.txt", bytes_str("of the user"), NULL,
                          NULL, &test_err));
    OK(quire_artifact_put(q, NULL, "gone.txt", bytes_str("put away"), NULL,
                          NULL, &test_err));
    OK(quire_artifact_remove(q, NULL, "gone.txt", 0, &test_err));
    /* The indexes have it all when somebody has searched. */
    IS(QUIRE_NOT_FOUND, quire_artifact_search(q, NULL, "unheard", NULL, NULL,
                                              NULL, NULL, &test_err));
    remember(q, "a linked one", a.id);
    remember(q, "another one", 0);
    OK(quire_memory_add(
        q, NULL,
        &(quire_memory_options){.size = sizeof(quire_memory_options),
                                .title = bytes_str("an old one"),
                                .content = bytes_str("it was so")},
        &old, &test_err));
    OK(quire_memory_invalidate(q, old.id, 0, &test_err));
    OK(quire_pad_append(q, "", bytes_str("a note"), NULL, &test_err));
    usleep(30000); /* so that what is counted is not too fresh to be kept */
    OK(quire_session_rows(q, NULL, pass_over, NULL, &test_err));
}

void flip_furnish(const char *name)
{
    char token[QUIRE_TOKEN_SIZE];
    quire *q = open_home(name, QUIRE_KIND_NATIVE, "default");

    furnish_tenant(q, 1);
    put_blob(q, 100, 90000); /* a file */
    put_blob(q, 101, 300000);
    put_blob(q, 102, 40);
    put_blob(q, 103, 20000); /* over several pages */
    OK(quire_config_set(q, "versions.kept", "10", &test_err));
    OK(quire_tenant_add(q, "other", token, NULL, &test_err));
    quire_close(q);
    q = open_home(name, QUIRE_KIND_NATIVE, "other");
    furnish_tenant(q, 11);
    quire_close(q);
}

void flip_furnish_omp(const char *name)
{
    quire *q = open_home(name, QUIRE_KIND_OMP, NULL);

    make_session(q, "theirs", 21);
    make_session(q, "theirs too", 22);
    put_blob(q, 104, 5000);
    quire_close(q);
}

void flip_furnish_jp(const char *name)
{
    struct buf text = BUF_INIT(1 << 16);
    quire *q = open_home(name, QUIRE_KIND_JP, NULL);
    quire_blob_info info;
    char path[128], ref[QUIRE_REF_SIZE], prose[3000];

    test_prose(5, prose, sizeof prose);
    OK(quire_blob_put(q, bytes_of(prose, sizeof prose), 0, &info, &test_err));
    quire_close(q);
    quire_ref_format(&info.digest, ref);
    snprintf(path, sizeof path, "%s/conversations", name);
    mkdir(test_path(path), 0700);
    snprintf(path, sizeof path, "%s/conversations/17000-talk", name);
    mkdir(test_path(path), 0700);
    snprintf(path, sizeof path, "%s/conversations/17000-talk/events.json",
             name);
    buf_addf(&text,
             "[\n  {\"type\": \"chat_request\", \"content\": {\"$blob\": "
             "\"%s\", \"size\": 3000}}\n]\n",
             strrchr(ref, ':') + 1);
    test_write_file(test_path(path), buf_bytes(&text));
    buf_release(&text);
}
