/* One handle a thread, on one store. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "support/test.h"

enum { THREADS = 4, ROUNDS = 25 };

struct worker {
    pthread_t thread;
    const char *home;
    quire_layout layout;
    int who;
    char failure[300]; /* "" when all went well */
};

static void work(struct worker *w, quire *q, quire_error *err)
{
    char *text = w->failure;
    int i;

    for (i = 0; i < ROUNDS; i++) {
        quire_blob_info info;
        quire_bytes out;
        char content[64];

        /* Half of it is the same in every thread. */
        snprintf(content, sizeof content, "%d of %d", i, i % 2 ? w->who : 99);
        if (quire_blob_put(q, bytes_str(content), 0, &info, err) ||
            quire_blob_get(q, &info.digest, &out, err)) {
            snprintf(text, sizeof w->failure, "%s", err->what);
            return;
        }
        if (!bytes_is(out, content))
            snprintf(text, sizeof w->failure, "wrong content");
    }
}

static void *start(void *ctx)
{
    struct worker *w = ctx;
    quire_options o = QUIRE_OPTIONS_INIT;
    quire_error err = {.what = ""};
    quire *q;

    o.blobs = w->home;
    o.layout = w->layout;
    o.busy_ms = 20000;
    if (quire_open(&o, &q, &err)) {
        snprintf(w->failure, sizeof w->failure, "%s", err.what);
        return NULL;
    }
    work(w, q, &err);
    quire_close(q);
    return NULL;
}

TEST(threads_with_a_handle_each_share_a_store)
{
    static const quire_layout layouts[] = {QUIRE_LAYOUT_PACKED,
                                           QUIRE_LAYOUT_LOOSE,
                                           QUIRE_LAYOUT_FLAT};
    size_t l;
    int i;

    for (l = 0; l < sizeof layouts / sizeof *layouts; l++) {
        struct worker w[THREADS];
        const char *home = test_path("blobs");

        for (i = 0; i < THREADS; i++) {
            w[i] = (struct worker){.home = home, .who = i};
            w[i].layout = layouts[l];
            EQ(0, pthread_create(&w[i].thread, NULL, start, &w[i]));
        }
        for (i = 0; i < THREADS; i++) {
            pthread_join(w[i].thread, NULL);
            SAME_TEXT("", w[i].failure);
        }
        test_forget_dir();
    }
}

/* ---- sessions ------------------------------------------------------------ */

static void *talk(void *ctx)
{
    quire_session *s = ctx;
    quire_error err;
    char *json = malloc(4096);
    bool bad = false;
    int i, at;

    for (i = 0; i < 20 && !bad; i++) {
        /* An image each, so that they meet in the blob store. */
        at = snprintf(json, 4096,
                      "{\"type\":\"message\",\"message\":{\"role\":\"%s\","
                      "\"content\":[{\"type\":\"image\",\"data\":\"",
                      i % 2 ? "assistant" : "user");
        memset(json + at, 'A' + i, 1200);
        strcpy(json + at + 1200, "\",\"mimeType\":\"image/png\"}]}}");
        bad = quire_session_append(s, bytes_str(json), NULL, NULL, &err);
    }
    free(json);
    return bad ? s : NULL;
}

TEST(threads_each_have_a_session_of_one_store)
{
    enum { N = 8 };
    quire_options o = QUIRE_OPTIONS_INIT;
    quire_session_info info;
    quire_session *s[N];
    pthread_t thread[N];
    void *failed;
    quire *q;
    int i;

    o.home = test_path("sessions-of-threads");
    OK(quire_open(&o, &q, &test_err));
    for (i = 0; i < N; i++)
        OK(quire_session_new(q, NULL, &s[i], &test_err));
    for (i = 0; i < N; i++)
        YES(pthread_create(&thread[i], NULL, talk, s[i]) == 0);
    for (i = 0; i < N; i++) {
        pthread_join(thread[i], &failed);
        YES(failed == NULL);
        quire_session_describe(s[i], &info);
        EQ(20, info.entries);
        YES(info.path && test_exists(info.path));
        quire_session_close(s[i]);
    }
    quire_close(q);
}
