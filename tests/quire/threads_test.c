/* One handle a thread, on one store. */
#include <pthread.h>
#include <stdio.h>
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
