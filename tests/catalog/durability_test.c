/* What a change of the catalogue has acknowledged is there after a power cut. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "api/core/handle.h"
#include "support/catalog.h"
#include "support/durability.h"
#include "support/power.h"
#include "support/tenants.h"

/* The power fails now: nothing that was not waited for is there, then some of
 * it. Each time the catalogue is what it is here. */
static void outlasts_a_cut(int rounds)
{
    const char *here = catalogue_dump();
    int seed;

    EQ(0, lasting_marked());
    EQ(0, lasting_breaches());
    for (seed = 0; seed < rounds; seed++) {
        power_cut(test_path("cut"), (uint64_t)seed);
        SAME_TEXT(here, catalogue_dump_of("cut"));
        catalogue_sound_in("cut");
    }
}

static void remember(quire *q, int64_t old)
{
    quire_memory_options o = QUIRE_MEMORY_OPTIONS_INIT;

    o.title = bytes_str("a walrus");
    o.content = bytes_str("is large");
    o.supersedes = &old;
    o.n_supersedes = old > 0;
    OK(quire_memory_add(q, NULL, &o, NULL, &test_err));
}

/* A short log is begun anew often, which is when it could lose something. */
static quire *open_with_short_log(void)
{
    quire *q = tenants_open(NULL, 0);

    OK(need_catalog(q, true, &test_err));
    OK(db_exec(q->catalog.db, "PRAGMA wal_autocheckpoint=12", &test_err));
    return q;
}

TEST(what_the_catalogue_acknowledges_survives_a_power_cut)
{
    int rounds = catalogue_long() ? 20 : 3, i;
    char token[QUIRE_TOKEN_SIZE], *noise = test_alloc(90000);
    quire_artifact a;
    quire *q;

    test_noise(1, noise, 90000);
    power_watch(test_path("home"));
    lasting_watch(true);
    q = open_with_short_log();
    tenants_put(q, "a", "the first of all");
    outlasts_a_cut(rounds);
    for (i = 0; i < (catalogue_long() ? 30 : 4); i++) {
        char path[16], text[64];

        snprintf(path, sizeof path, "f%d", i % 3);
        snprintf(text, sizeof text, "walrus number %d", i);
        tenants_put(q, path, text);
        outlasts_a_cut(rounds);
        OK(quire_artifact_put(q, NULL, "large", bytes_of(noise + i, 80000),
                              NULL, &a, &test_err));
        outlasts_a_cut(rounds);
        OK(quire_artifact_remove(q, NULL, path, 0, &test_err));
        outlasts_a_cut(rounds);
        OK(quire_artifact_restore(q, NULL, path, &a, &test_err));
        outlasts_a_cut(rounds);
        remember(q, i);
        outlasts_a_cut(rounds);
        OK(quire_pad_append(q, "", bytes_str(text), NULL, &test_err));
        outlasts_a_cut(rounds);
        OK(quire_config_set(q, "quota.file", i % 2 ? "100000" : "200000",
                            &test_err));
        outlasts_a_cut(rounds);
    }
    OK(quire_tenant_add(q, "t", token, NULL, &test_err));
    outlasts_a_cut(rounds);
    OK(quire_tenant_rotate(q, "t", token, NULL, &test_err));
    outlasts_a_cut(rounds);
    OK(quire_tenant_remove(q, "t", 1, &test_err));
    outlasts_a_cut(rounds);
    quire_close(q);
    power_watch(NULL);
}

/* One wait for all: what is answered when a group has ended lasts, also what it
 * only found there, put by somebody who did not wait. A cut before its end leaves
 * nothing of it. */
TEST(what_was_put_in_a_group_survives_a_power_cut_when_it_has_ended)
{
    int rounds = catalogue_long() ? 20 : 3, i;
    char *noise = test_alloc(90000), text[64];
    quire *q, *hasty;

    test_noise(1, noise, 90000);
    power_watch(test_path("home"));
    lasting_watch(true);
    q = open_with_short_log();
    hasty = open_with_short_log();
    db_relax(hasty->catalog.db, true);
    tenants_put(q, "a", "the first of all");
    for (i = 0; i < (catalogue_long() ? 30 : 6); i++) {
        snprintf(text, sizeof text, "walrus number %d", i);
        tenants_put(hasty, "found", text);
        OK(quire_group_begin(q, &test_err));
        tenants_put(q, "found", text); /* is there: nothing is written for it */
        if (i % 2) {
            tenants_put(q, "small", text);
            remember(q, i / 2);
            OK(quire_artifact_put(q, NULL, "large", bytes_of(noise + i, 80000),
                                  NULL, NULL, &test_err));
            OK(quire_blob_put(q, bytes_of(noise, 70000 + (size_t)i), 0, NULL,
                              &test_err));
            power_cut(test_path("cut"), 0);
            NO(i == 1 && strstr(catalogue_dump_of("cut"), "|large|"));
            catalogue_sound_in("cut");
        }
        OK(quire_group_end(q, NULL, &test_err));
        outlasts_a_cut(rounds);
    }
    quire_close(hasty);
    quire_close(q);
    power_watch(NULL);
    lasting_watch(false);
}

/* A cut between two acknowledgements: what the first has said is there, and
 * what was not waited for is there whole or not at all. */
TEST(what_was_not_waited_for_is_there_whole_or_not_at_all_after_a_power_cut)
{
    int i, seed;
    quire *q;

    power_watch(test_path("home"));
    q = open_with_short_log();
    tenants_put(q, "kept", "for ever");
    db_relax(q->catalog.db, true); /* as `durability` "flush" has it */
    for (i = 0; i < 12; i++) {
        char path[16], text[64];

        snprintf(path, sizeof path, "f%d", i);
        snprintf(text, sizeof text, "walrus number %d", i);
        tenants_put(q, path, text);
        for (seed = 0; seed < (catalogue_long() ? 30 : 4); seed++) {
            power_cut(test_path("cut"), (uint64_t)i * 100 + (uint64_t)seed);
            catalogue_sound_in("cut");
            HAS(catalogue_dump_of("cut"), "|kept|");
        }
    }
    OK(quire_sync(q, &test_err));
    outlasts_a_cut(2);
    quire_close(q);
    power_watch(NULL);
}

/* Threads share a wait for the disk; none of them may take another's for its
 * own. Each stops the world after its acknowledgement, and cuts. */
struct putter {
    pthread_t thread;
    char home[512];
    int who;
    bool failed;
};

static void *put_some(void *ctx)
{
    quire_options o = QUIRE_OPTIONS_INIT;
    struct putter *p = ctx;
    quire_error err;
    quire *q;
    int i;

    o.home = p->home;
    o.tenant = "default";
    o.busy_ms = 20000;
    p->failed = quire_open(&o, &q, &err) != QUIRE_OK;
    for (i = 0; i < 8 && !p->failed; i++) {
        char path[32];

        snprintf(path, sizeof path, "w%d-%d", p->who, i);
        p->failed = quire_artifact_put(q, NULL, path, bytes_str(path), NULL,
                                       NULL, &err) != QUIRE_OK;
    }
    quire_close(q);
    return NULL;
}

TEST(what_threads_have_acknowledged_together_survives_a_power_cut)
{
    enum { N = 4 };
    struct putter *p = test_alloc(N * sizeof *p);
    quire *q;
    int i;

    power_watch(test_path("home"));
    q = tenants_open(NULL, 0); /* whoever closes last empties the log */
    tenants_put(q, "a", "x");
    for (i = 0; i < N; i++) {
        p[i].who = i;
        snprintf(p[i].home, sizeof p[i].home, "%s", test_path("home"));
        EQ(0, pthread_create(&p[i].thread, NULL, put_some, &p[i]));
    }
    for (i = 0; i < N; i++) {
        pthread_join(p[i].thread, NULL);
        NO(p[i].failed);
    }
    outlasts_a_cut(3);
    EQ(1 + 8 * N, catalogue_number("SELECT count(*) FROM artifact"));
    quire_close(q);
    power_watch(NULL);
}
