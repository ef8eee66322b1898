/*
 * tool_fuzz.c - requests to the tool `workspace`
 *
 * Each line of the input is a request, to one workspace in a home of its own.
 * Whatever it is, the answer is one line of JSON, which has data or an error
 * with all its parts. A line that begins with a control character is what
 * somebody does to the files meanwhile:
 *
 *     1 NAME    a file is written, with its name in it
 *     2 NAME    a file or an empty directory is removed
 *     3 NAME    a directory is made
 *     4 NAME    a link to a directory outside is made
 *     5         files and artifacts are made to agree
 *
 * In the end these do agree, and nothing lies anywhere but in the workspace.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/fs.h"
#include "base/json.h"
#include "base/utf8.h"
#include "holds.h"
#include "quire.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { LINES_MAX = 24 };

/* One for all inputs: making a home costs more than all the rest. */
static char place[256];
static quire *q;
static quire_workspace *w;

/* ---- a home ------------------------------------------------------------- */

static void drop_place(void)
{
    int tmp;

    quire_workspace_close(w);
    quire_close(q);
    *strrchr(place, '/') = '\0';
    if (!fs_open_dir(place, false, &tmp, NULL)) {
        fs_remove_tree(tmp, place + strlen(place) + 1);
        close(tmp);
    }
}

static void make_place(void)
{
    quire_options o = QUIRE_OPTIONS_INIT;
    const char *tmp = getenv("TMPDIR");
    char name[512];

    snprintf(place, sizeof place, "%.200s/tool-fuzz-XXXXXX",
             tmp ? tmp : "/tmp");
    HOLDS(mkdtemp(place));
    snprintf(name, sizeof name, "%s/outside", place);
    HOLDS(!mkdir(name, 0700));
    snprintf(name, sizeof name, "%s/home", place);
    o.home = name;
    HOLDS(!quire_open(&o, &q, NULL));
    HOLDS(!quire_config_set(q, "quota.file", "400", NULL));
    HOLDS(!quire_config_set(q, "quota.session", "900", NULL));
    HOLDS(!quire_workspace_open(q, NULL, &w, NULL));
    atexit(drop_place);
}

struct found {
    int64_t id[64];
    size_t n;
};

static quire_status note(void *ctx, const quire_artifact *a, quire_error *err)
{
    struct found *f = ctx;

    (void)err;
    if (f->n < 64)
        f->id[f->n++] = a->id;
    return QUIRE_OK;
}

/* So that an input does the same whatever was before it. */
static void clear(void)
{
    quire_artifact_list_options o = QUIRE_ARTIFACT_LIST_OPTIONS_INIT;
    char which[32];
    size_t i;
    int home;

    HOLDS(!fs_open_dir(place, false, &home, NULL));
    HOLDS(!fs_remove_tree(home, "home/artifacts"));
    close(home);
    for (o.deleted = 0; o.deleted < 2; o.deleted++) {
        struct found f = {.n = 0};

        HOLDS(!quire_artifact_list(q, "temp", &o, note, &f, NULL));
        for (i = 0; i < f.n; i++) {
            snprintf(which, sizeof which, "#%lld", (long long)f.id[i]);
            HOLDS(!quire_artifact_remove(q, "temp", which, 1, NULL));
        }
    }
    HOLDS(!quire_workspace_make(w, NULL));
}

/* ---- what must not be --------------------------------------------------- */

/* There is nothing in the directory but these, separated by spaces. */
static void has_only(const char *dir, const char *names)
{
    char path[512], name[300];
    struct dirent *e;
    DIR *d;

    snprintf(path, sizeof path, "%s/%s", place, dir);
    d = opendir(path);
    HOLDS(d);
    while ((e = readdir(d))) {
        snprintf(name, sizeof name, " %s ", e->d_name);
        if (!strstr(names, name))
            fprintf(stderr, "%s/%s\n", dir, e->d_name);
        HOLDS(strstr(names, name));
    }
    closedir(d);
}

static void stays_inside(void)
{
    has_only("", " . .. outside home ");
    has_only("outside", " . .. ");
    has_only("home", " reserve . .. artifacts blobs quire.db quire.db-wal "
                     "quire.db-shm quire.db-mark sessions config.json ");
    has_only("home/artifacts", " . .. temp scratchpad ");
    has_only("home/artifacts/scratchpad", " . .. temp ");
}

static void agrees(void)
{
    quire_workspace_report r;

    HOLDS(!quire_workspace_sync(w, NULL, NULL, NULL, NULL, NULL));
    HOLDS(!quire_workspace_sync(w, NULL, NULL, NULL, &r, NULL));
    HOLDS(r.taken + r.dropped + r.given + r.withdrawn == 0);
}

/* ---- lines -------------------------------------------------------------- */

static void ask(quire_bytes request)
{
    quire_bytes answer, error;
    bool done = false;

    HOLDS(!quire_workspace_call(w, request, &answer, NULL));
    HOLDS(json_check(answer, JSON_UTF8, NULL));
    HOLDS(!memchr(answer.data, '\n', answer.len));
    HOLDS(json_read_bool(json_get(answer, "success"), &done));
    HOLDS(done == (json_get(answer, "data").data != NULL));
    error = json_get(answer, "error");
    HOLDS(done == (error.data == NULL));
    if (done)
        return;
    HOLDS(json_kind(json_get(error, "code")) == JSON_STRING);
    HOLDS(!json_is(json_get(error, "code"), "error"));
    HOLDS(!json_is(json_get(error, "code"), "io"));
    HOLDS(!json_is(json_get(error, "message"), ""));
    HOLDS(!json_is(json_get(error, "suggestion"), ""));
    HOLDS(json_get(error, "retryable").data);
}

/* A name that stays in the directory: this one's own links may not lead out. */
static bool is_mild(const char *name)
{
    return *name && *name != '/' && !strstr(name, "..") && strlen(name) < 200;
}

static void disturb(int what, const char *name)
{
    const char *dir = quire_workspace_dir(w, 0);
    char to[512];
    int fd, at;

    if (what == 5) {
        HOLDS(!quire_workspace_sync(w, NULL, NULL, NULL, NULL, NULL));
        return;
    }
    if (!is_mild(name) || fs_open_dir(dir, false, &at, NULL))
        return;
    snprintf(to, sizeof to, "%s/outside", place);
    if (what == 1) {
        fd = fs_open_beneath(at, name, O_WRONLY | O_CREAT | O_TRUNC, 0600);
        if (fd >= 0) {
            fs_write_all(fd, bytes_str(name));
            close(fd);
        }
    } else if (what == 2) {
        fs_remove_tree(at, name);
    } else if (what == 3) {
        mkdirat(at, name, 0700);
    } else if (!strchr(name, '/')) {
        fd = symlinkat(to, at, name); /* or something has the name */
        (void)fd;
    }
    close(at);
}

static void one_line(quire_bytes line)
{
    const unsigned char *t = line.data;
    char name[256];

    if (line.len == 0 || t[0] < 1 || t[0] > 5) {
        ask(line);
        return;
    }
    snprintf(name, sizeof name, "%.*s",
             (int)(line.len < 250 ? line.len - 1 : 249), (const char *)t + 1);
    disturb(t[0], name);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *at = (const char *)data, *end = at + size;
    int n;

    if (!q)
        make_place();
    clear();
    for (n = 0; n < LINES_MAX && at < end; n++) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));

        stop = stop ? stop : end;
        one_line(bytes_of(at, (size_t)(stop - at)));
        at = stop + 1;
    }
    agrees();
    stays_inside();
    return 0;
}
