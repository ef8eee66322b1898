/*
 * Groups beside others: threads that put with handles of their own, collections,
 * readers, other groups, and whoever works in a workspace. Nobody waits for
 * somebody who waits for him, nobody sees half a group, and nothing that was
 * kept is missed.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/clock.h"
#include "support/catalog.h"
#include "support/tenants.h"
#include "support/workspace.h"

enum { TOGETHER = 6, TOO_LONG_MS = 20000 };

/* What all of them know. No cmocka in threads. */
struct scene {
    char home[512], session[64];
    int rounds;
    int busy_ms;
    atomic_bool over;
    atomic_int failed, torn, seen, collected;
};

struct actor {
    pthread_t thread;
    struct scene *scene;
    int who;
};

static quire *open_for(const struct scene *scene, const char *tenant)
{
    quire_options o = QUIRE_OPTIONS_INIT;
    quire *q = NULL;

    o.home = scene->home;
    o.tenant = tenant;
    o.busy_ms = scene->busy_ms;
    return quire_open(&o, &q, NULL) ? NULL : q;
}

static bool fine(struct scene *scene, const char *what, quire_status st,
                 const quire_error *err)
{
    if (!st)
        return true;
    fprintf(stderr, "%s: %s: %s\n", what, quire_status_name(st), err->what);
    atomic_fetch_add(&scene->failed, 1);
    return false;
}

/* Every other one is large enough for a file; all are different. */
static quire_bytes content(char *room, size_t cap, int who, int i, int j)
{
    size_t len = j % 2 ? cap : 300;

    test_noise((uint64_t)who * 100000 + (uint64_t)i * 10 + (uint64_t)j + 1,
               room, len);
    snprintf(room, 32, "%d-%d-%d ", who, i, j);
    return bytes_of(room, len);
}

/* ---- the actors --------------------------------------------------------- */

/* A group at a time, for two tenants in turn; "torn/x" and "torn/y" always have
 * the same. */
static bool make_one(struct actor *a, quire *q, int i)
{
    static const char *const twins[] = {"torn/x", "torn/y"};
    struct scene *s = a->scene;
    char room[70000], path[64], same[32];
    quire_error err = {.what = ""};
    int j;

    if (!fine(s, "begin", quire_group_begin(q, &err), &err))
        return false;
    for (j = 0; j < TOGETHER; j++) {
        snprintf(path, sizeof path, "g%d/f%d-%d", a->who, i, j);
        fine(s, "use", quire_tenant_use(q, j % 3 ? "#1" : "#2", &err), &err);
        fine(s, "grouped put",
             quire_artifact_put(q, NULL, path,
                                content(room, sizeof room, a->who, i, j), NULL,
                                NULL, &err),
             &err);
    }
    fine(s, "use", quire_tenant_use(q, "#1", &err), &err);
    snprintf(same, sizeof same, "%d of %d", i, a->who);
    for (j = 0; j < 2; j++)
        fine(s, "twin",
             quire_artifact_put(q, NULL, twins[j], bytes_str(same), NULL, NULL,
                                &err),
             &err);
    return fine(s, "end", quire_group_end(q, NULL, &err), &err);
}

static void *make_groups(void *ctx)
{
    struct actor *a = ctx;
    quire *q = open_for(a->scene, "default");
    int i;

    for (i = 0; q && i < a->scene->rounds; i++)
        if (!make_one(a, q, i))
            break;
    if (!q)
        atomic_fetch_add(&a->scene->failed, 1);
    quire_close(q);
    return NULL;
}

static void *put_alone(void *ctx)
{
    struct actor *a = ctx;
    quire *q = open_for(a->scene, "default");
    quire_error err = {.what = ""};
    char room[70000], path[64];
    int i;

    for (i = 0; q && i < a->scene->rounds; i++) {
        snprintf(path, sizeof path, "w%d/f%d", a->who, i);
        fine(a->scene, "put",
             quire_artifact_put(q, NULL, path,
                                content(room, sizeof room, a->who, i, i), NULL,
                                NULL, &err),
             &err);
    }
    quire_close(q);
    return NULL;
}

static void *collect(void *ctx)
{
    struct actor *a = ctx;
    quire *q = open_for(a->scene, "default");
    quire_error err = {.what = ""};

    while (q && !a->scene->over) {
        quire_collect_options o = QUIRE_COLLECT_OPTIONS_INIT;
        quire_collect_report report;

        fine(a->scene, "collect", quire_collect(q, &o, &report, &err), &err);
        atomic_fetch_add(&a->scene->collected, 1);
        usleep(2000);
    }
    quire_close(q);
    return NULL;
}

static quire_status add_version(void *ctx, const quire_artifact *a,
                                quire_error *err)
{
    (void)err;
    if (!strncmp(a->path, "torn/", 5))
        ((int64_t *)ctx)[a->path[5] == 'y'] = a->version;
    return QUIRE_OK;
}

/* One look is of one state: both twins are as old as each other. */
static void *watch(void *ctx)
{
    struct actor *a = ctx;
    quire *q = open_for(a->scene, "default");
    quire_error err = {.what = ""};

    while (q && !a->scene->over) {
        int64_t version[2] = {0, 0};

        fine(a->scene, "list",
             quire_artifact_list(q, NULL, NULL, add_version, version, &err),
             &err);
        if (version[0] != version[1])
            atomic_fetch_add(&a->scene->torn, 1);
        if (version[0])
            atomic_fetch_add(&a->scene->seen, 1);
        usleep(500);
    }
    quire_close(q);
    return NULL;
}

/* ---- all of them -------------------------------------------------------- */

static void set_scene(struct scene *s)
{
    tenants_add("other");
    snprintf(s->home, sizeof s->home, "%s", test_path("home"));
    s->rounds = catalogue_long() ? 400 : 25;
    s->busy_ms = 60000;
}

static void begin(struct actor *a, struct scene *s, int who,
                  void *(*run)(void *))
{
    *a = (struct actor){.scene = s, .who = who};
    YES(pthread_create(&a->thread, NULL, run, a) == 0);
}

/* Every artifact that there should be is there, and can be read. */
static void all_there(const struct scene *s, int groups, int others)
{
    static char room[70000];
    quire *q = tenants_open(NULL, 0);
    char path[64];
    int who, i, j;

    for (who = 0; who < groups; who++) {
        for (i = 0; i < s->rounds; i++) {
            for (j = 0; j < TOGETHER; j++) {
                OK(quire_tenant_use(q, j % 3 ? "#1" : "#2", &test_err));
                snprintf(path, sizeof path, "g%d/f%d-%d", who, i, j);
                content(room, sizeof room, who, i, j);
                YES(!strncmp(room, tenants_read(q, path), strlen(room)));
            }
        }
    }
    OK(quire_tenant_use(q, "#1", &test_err));
    for (who = groups; who < groups + others; who++) {
        for (i = 0; i < s->rounds; i++) {
            snprintf(path, sizeof path, "w%d/f%d", who, i);
            YES(tenants_read(q, path) != NULL);
        }
    }
    quire_close(q);
    EQ(0, tenants_recount());
    catalogue_sound();
}

TEST(groups_beside_puts_collections_and_readers)
{
    enum { GROUPS = 2, OTHERS = 3, ALL = GROUPS + OTHERS + 2 };
    struct scene *s = test_alloc(sizeof *s);
    struct actor *actors = test_alloc(ALL * sizeof *actors);
    int64_t began = clock_steady_us();
    int i;

    set_scene(s);
    for (i = 0; i < GROUPS; i++)
        begin(&actors[i], s, i, make_groups);
    for (; i < GROUPS + OTHERS; i++)
        begin(&actors[i], s, i, put_alone);
    begin(&actors[i], s, i, collect);
    begin(&actors[i + 1], s, i + 1, watch);
    for (i = 0; i < GROUPS + OTHERS; i++)
        pthread_join(actors[i].thread, NULL);
    s->over = true;
    for (; i < ALL; i++)
        pthread_join(actors[i].thread, NULL);
    EQ(0, s->failed);
    EQ(0, s->torn);
    YES(s->seen > 0 && s->collected > 0);
    if (!catalogue_long())
        YES(clock_steady_us() - began < TOO_LONG_MS * INT64_C(1000));
    all_there(s, GROUPS, OTHERS);
}

/* The same with a process that collects without grace, which takes whatever
 * nothing refers to: what a group has put and not yet kept is not that. */
TEST(a_group_beside_a_process_that_collects_loses_nothing)
{
    struct scene *s = test_alloc(sizeof *s);
    struct actor *maker = test_alloc(sizeof *maker);
    pid_t child;
    int status;

    set_scene(s);
    fflush(NULL);
    child = fork();
    if (child == 0) {
        quire *q = open_for(s, "default");

        for (;;) {
            quire_collect_options o = QUIRE_COLLECT_OPTIONS_INIT;
            quire_collect_report report;

            o.grace_s = 0;
            if (!q || quire_collect(q, &o, &report, NULL))
                _exit(1);
        }
    }
    begin(maker, s, 0, make_groups);
    pthread_join(maker->thread, NULL);
    kill(child, 9);
    YES(waitpid(child, &status, 0) == child && WIFSIGNALED(status));
    EQ(0, s->failed);
    all_there(s, 1, 0);
}

/* ---- a workspace -------------------------------------------------------- */

/* Somebody edits a file and has it taken: that has the workspace, and wants the
 * catalogue. */
static void *work(void *ctx)
{
    struct actor *a = ctx;
    quire *q = open_for(a->scene, "default");
    quire_error err = {.what = ""};
    quire_workspace *w = NULL;
    quire_bytes answer;
    char request[128];
    int i;

    if (!q || quire_workspace_open(q, a->scene->session, &w, &err)) {
        atomic_fetch_add(&a->scene->failed, 1);
        quire_close(q);
        return NULL;
    }
    for (i = 0; !a->scene->over; i++) {
        snprintf(request, sizeof request,
                 "{\"action\":\"write\",\"filename\":\"theirs\",\"content\":"
                 "\"%d\"}",
                 i);
        fine(a->scene, "tool",
             quire_workspace_call(w, bytes_str(request), &answer, &err), &err);
        if (!strstr(answer.data, "\"success\":true")) {
            fprintf(stderr, "tool: %.*s\n", (int)answer.len,
                    (const char *)answer.data);
            atomic_fetch_add(&a->scene->failed, 1);
        }
        atomic_fetch_add(&a->scene->seen, 1);
    }
    quire_workspace_close(w);
    quire_close(q);
    return NULL;
}

/* A group that puts and removes artifacts of the same session has the catalogue,
 * and does not wait for the workspace. */
TEST(a_group_and_a_workspace_do_not_wait_for_each_other)
{
    struct scene *s = test_alloc(sizeof *s);
    struct actor *worker = test_alloc(sizeof *worker);
    quire *q = tenants_open(NULL, 0);
    quire_workspace *w;
    int64_t longest = 0;
    int i;

    set_scene(s);
    s->busy_ms = 10000;
    snprintf(s->session, sizeof s->session, "%s", tenants_session(q, "x").id);
    w = fixture_open(q, s->session);
    fixture_write(w, "theirs", "first");
    quire_workspace_close(w);
    begin(worker, s, 0, work);
    for (i = 0; i < s->rounds * 4; i++) {
        int64_t began = clock_steady_us(), took;
        quire_status st;

        OK(quire_group_begin(q, &test_err));
        tenants_put(q, "other", i % 2 ? "a" : "b");
        OK(quire_artifact_put(q, s->session, "ours", bytes_str("x"), NULL, NULL,
                              &test_err));
        st = quire_artifact_remove(q, s->session, "ours", 0, &test_err);
        IS(st == QUIRE_BUSY ? QUIRE_BUSY : QUIRE_OK, st);
        OK(quire_group_end(q, NULL, &test_err));
        took = clock_steady_us() - began;
        longest = took > longest ? took : longest;
    }
    s->over = true;
    pthread_join(worker->thread, NULL);
    EQ(0, s->failed);
    YES(s->seen > 0);
    if (longest >= 5000000)
        fprintf(stderr, "one took %d ms\n", (int)(longest / 1000));
    YES(longest < 5000000);
    /* A group whose turn did not come in time has left it to whoever looks. */
    w = fixture_open(q, s->session);
    fixture_sync(w);
    fixture_agrees(q, w);
    quire_workspace_close(w);
    quire_close(q);
    catalogue_sound();
}
