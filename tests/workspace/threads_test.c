/*
 * Several who write to one workspace at once, with handles of their own, an
 * editor that knows nothing of it, and somebody who makes files and artifacts
 * agree all the while. Nothing that was acknowledged is lost: it is a version.
 *
 * Each content has a length of its own, by which it is found again.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/fs.h"
#include "base/json.h"
#include "support/catalog.h"
#include "support/tenants.h"
#include "support/workspace.h"

enum { WRITERS = 2, WRITES = 40, EDITS = 60 };

static struct tenants_session session;
static atomic_int busy; /* who is still at it */
static char dir[4096], place[4096];

struct worker {
    pthread_t thread;
    int number;
    const char *wrong; /* NULL: all went well */
};

static quire *open_one(void)
{
    quire_options o = QUIRE_OPTIONS_INIT;
    quire *q = NULL;

    o.home = place;
    o.tenant = "default";
    o.busy_ms = 20000;
    return quire_open(&o, &q, NULL) ? NULL : q;
}

static int length(int who, int i)
{
    return 10 + who + (WRITERS + 1) * i;
}

static void fill(char *out, int len)
{
    memset(out, 'x', (size_t)len);
    out[len] = '\0';
}

static void *write_all(void *ctx)
{
    struct worker *me = ctx;
    quire *q = open_one();
    quire_workspace *w = NULL;
    char text[1024], request[2048];
    quire_bytes answer;
    int i;

    if (!q || quire_workspace_open(q, session.id, &w, NULL))
        me->wrong = "it cannot be opened";
    for (i = 0; i < WRITES && !me->wrong; i++) {
        fill(text, length(me->number, i));
        snprintf(request, sizeof request,
                 "{\"action\":\"write\",\"filename\":\"f%d\",\"content\":"
                 "\"%s\"}",
                 i % 3, text);
        if (quire_workspace_call(w, bytes_str(request), &answer, NULL) ||
            !json_is(json_get(json_get(answer, "data"), "action"), "write")) {
            fprintf(stderr, "%.*s\n", (int)answer.len,
                    (const char *)answer.data);
            me->wrong = "a write was refused";
        }
    }
    quire_workspace_close(w);
    quire_close(q);
    busy--;
    return NULL;
}

/* As editors do: a new file in the place of the old one. */
static void *edit_all(void *ctx)
{
    struct worker *me = ctx;
    char text[1024], from[4200], to[4200];
    int i;

    for (i = 0; i < EDITS && !me->wrong; i++) {
        FILE *f;

        fill(text, length(me->number, i));
        snprintf(from, sizeof from, "%s/.edit", dir);
        snprintf(to, sizeof to, "%s/f%d", dir, i % 3);
        f = fopen(from, "w");
        if (!f || fputs(text, f) < 0 || fclose(f) || rename(from, to))
            me->wrong = "an edit failed";
        usleep(1000);
    }
    busy--;
    return NULL;
}

static void *sync_all(void *ctx)
{
    struct worker *me = ctx;
    quire *q = open_one();
    quire_workspace *w = NULL;

    if (!q || quire_workspace_open(q, session.id, &w, NULL))
        me->wrong = "it cannot be opened";
    while (busy > 0 && !me->wrong)
        if (quire_workspace_sync(w, NULL, NULL, NULL, NULL, NULL))
            me->wrong = "a look failed";
    quire_workspace_close(w);
    quire_close(q);
    return NULL;
}

static void run_all(struct worker *workers)
{
    static void *(*const jobs[])(void *) = {write_all, write_all, edit_all,
                                            sync_all};
    int i;

    busy = WRITERS + 1;
    for (i = 0; i < WRITERS + 2; i++) {
        workers[i] = (struct worker){.number = i};
        EQ(0, pthread_create(&workers[i].thread, NULL, jobs[i], &workers[i]));
    }
    for (i = 0; i < WRITERS + 2; i++) {
        pthread_join(workers[i].thread, NULL);
        if (workers[i].wrong)
            fprintf(stderr, "worker %d: %s\n", i, workers[i].wrong);
    }
    for (i = 0; i < WRITERS + 2; i++)
        YES(workers[i].wrong == NULL);
}

TEST(no_write_is_lost_when_threads_share_a_workspace_with_an_editor)
{
    struct worker workers[WRITERS + 2];
    quire *q = tenants_open(NULL, 0);
    quire_workspace *w;
    char sql[128];
    int who, i;

    session = tenants_session(q, "work");
    snprintf(place, sizeof place, "%s", test_path("home"));
    OK(quire_config_set(q, "versions.kept", "1000", &test_err));
    w = fixture_open(q, session.id);
    OK(quire_workspace_make(w, &test_err));
    snprintf(dir, sizeof dir, "%s", quire_workspace_dir(w, 0));
    run_all(workers);
    fixture_sync(w);
    fixture_agrees(q, w);
    for (who = 0; who < WRITERS; who++)
        for (i = 0; i < WRITES; i++) {
            snprintf(sql, sizeof sql,
                     "SELECT count(*) FROM artifact_version WHERE size = %d",
                     length(who, i));
            if (!catalogue_number(sql))
                fprintf(stderr, "of %d, write %d is lost\n", who, i);
            YES(catalogue_number(sql) > 0);
        }
    quire_workspace_close(w);
    quire_close(q);
    catalogue_sound();
}

static void *write_one(void *ctx)
{
    struct worker *me = ctx;
    quire *q = open_one();
    quire_workspace *w = NULL;
    quire_bytes answer;

    if (!q || quire_workspace_open(q, session.id, &w, NULL) ||
        quire_workspace_call(w,
                             bytes_str("{\"action\":\"write\",\"filename\":"
                                       "\"late\",\"content\":\"text\"}"),
                             &answer, NULL) ||
        !json_get(answer, "data").data)
        me->wrong = "a write was refused";
    quire_workspace_close(w);
    quire_close(q);
    return NULL;
}

/* Who has waited for the lock of a directory that went looks for the one that
 * has its name now. */
TEST(threads_that_wait_for_a_directory_which_goes_write_to_the_next_one)
{
    struct worker late = {.number = 0};
    quire *q = tenants_open(NULL, 0);
    quire_workspace *w;
    int home, held;

    session = tenants_session(q, "work");
    snprintf(place, sizeof place, "%s", test_path("home"));
    w = fixture_open(q, session.id);
    fixture_write(w, "a", "text");
    snprintf(dir, sizeof dir, "artifacts/sessions/%s", session.id);
    OK(fs_open_dir(test_path("home"), false, &home, &test_err));
    held = fs_open_beneath(home, dir, O_RDONLY | O_DIRECTORY, 0);
    YES(held >= 0);
    OK(fs_lock(held, FS_EXCLUSIVE, 1000, &test_err));
    EQ(0, pthread_create(&late.thread, NULL, write_one, &late));
    usleep(100000);
    EQ(0, fs_remove_tree(home, dir));
    close(held);
    pthread_join(late.thread, NULL);
    YES(late.wrong == NULL);
    SAME_TEXT("text", fixture_file(w, "late"));
    SAME_TEXT("text", fixture_file(w, "a"));
    fixture_agrees(q, w);
    close(home);
    quire_workspace_close(w);
    quire_close(q);
}
