/*
 * Writers that are killed while they write. Each tells through a pipe what was
 * acknowledged; all of that is in the file, in order, and the file has at most
 * one line that was cut off.
 *
 * Bounded in count and time: forty rounds of some milliseconds.
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/json.h"
#include "support/session.h"

enum { ROUNDS = 40, THREADS = 16, ID = 16 };

static const struct session_birth birth = {.id = "s1", .cwd = "/w"};

/* ---- writers: no test macro may be used in a child ---------------------- */

struct writer {
    struct store *store;
    struct session_env env;
    quire_session *s;
    int pipe;
};

static void writer_open(struct writer *w)
{
    struct session_place place = {.name = "p/f"};
    quire_error err = {.what = ""};

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    w->env = (struct session_env){.clock = &clock_system,
                                  .rand = &rand_system,
                                  .busy_ms = 10000};
    if (store_files_open(test_path("home"), false, &w->store, &err) == 0) {
        place.store = w->store;
        if (session_open(&w->env, &place, &birth, 0, QUIRE_SYNC_EACH, &w->s,
                         &err) == 0)
            return;
    }
    fprintf(stderr, "writer: %s\n", err.what);
    _exit(1);
}

static void write_one(struct writer *w, int size)
{
    char json[9000], id[ID] = "";
    quire_error err = {.what = ""};
    quire_appended out;

    snprintf(json, sizeof json,
             "{\"type\":\"message\",\"message\":{\"role\":\"user\","
             "\"content\":\"%0*d\"}}",
             size, 7);
    if (quire_session_append(w->s, bytes_str(json), NULL, &out, &err)) {
        fprintf(stderr, "append: %s\n", err.what);
        _exit(1);
    }
    snprintf(id, sizeof id, "%.15s", out.id);
    if (write(w->pipe, id, ID) != ID)
        _exit(1);
}

static void append_for_ever(struct writer *w)
{
    int i;

    writer_open(w);
    for (i = 0;; i++)
        write_one(w, i % 50 ? 40 : 8000);
}

/* A turn each: open, append, close. */
static void take_turns(struct writer *w)
{
    if (fork() == 0)
        prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (;;) {
        writer_open(w);
        write_one(w, 40);
        quire_session_close(w->s);
        store_free(w->store);
    }
}

static void rename_for_ever(struct writer *w)
{
    int i;

    writer_open(w);
    for (i = 0;; i++) {
        char title[40];

        write_one(w, 40);
        snprintf(title, sizeof title, "title %d", i);
        if (session_rename(w->s, title, NULL))
            _exit(1);
    }
}

static void *append_in_thread(void *ctx)
{
    struct writer *w = ctx;

    for (;;)
        write_one(w, 40);
    return NULL;
}

static void append_in_threads(struct writer *w)
{
    pthread_t thread;
    int i;

    writer_open(w);
    for (i = 1; i < THREADS; i++) {
        if (pthread_create(&thread, NULL, append_in_thread, w))
            _exit(1);
    }
    append_in_thread(w);
}

/* ---- rounds ------------------------------------------------------------- */

/* Run `work` in a process group of its own, kill it after a while. What it
 * acknowledged is what the pipe gives. The while begins when the child does: to
 * fork a process that a sanitizer has made large can take longer than that. */
static int run_and_kill(void (*work)(struct writer *w), long nap_us)
{
    struct timespec nap = {.tv_nsec = nap_us * 1000};
    struct writer w = {.store = NULL};
    int fd[2], begun[2], status;
    pid_t child;
    char c;

    YES(pipe(fd) == 0 && pipe(begun) == 0);
    child = fork();
    if (child == 0) {
        setpgid(0, 0);
        close(fd[0]);
        w.pipe = fd[1];
        if (write(begun[1], "x", 1) != 1)
            _exit(1);
        work(&w);
    }
    setpgid(child, child);
    close(fd[1]);
    close(begun[1]);
    YES(read(begun[0], &c, 1) == 1);
    close(begun[0]);
    nanosleep(&nap, NULL);
    kill(-child, SIGKILL);
    waitpid(child, &status, 0);
    YES(WIFSIGNALED(status));
    return fd[0];
}

/* Every line is whole but perhaps the last. */
static void lines_are_whole(quire_bytes text)
{
    const char *at = text.data, *end = at + text.len, *nl;

    for (; at < end && (nl = memchr(at, '\n', (size_t)(end - at))) != NULL;
         at = nl + 1)
        YES(at == nl || json_check(bytes_of(at, (size_t)(nl - at)), 0, NULL));
}

/* Where in the file an entry is; in order, for one writer. */
static const char *place_of(quire_bytes text, const char *id)
{
    char want[40];

    snprintf(want, sizeof want, "\"id\":\"%s\"", id);
    return memmem(text.data, text.len, want, strlen(want));
}

static int acknowledged(int fd, quire_bytes text, bool in_order)
{
    const char *last = text.data, *at;
    char id[ID];
    int n = 0;

    while (read(fd, id, ID) == ID) {
        at = place_of(text, id);
        YES(at != NULL);
        if (in_order)
            YES(at > last);
        last = at;
        n++;
    }
    close(fd);
    return n;
}

/* A torn end may be ended by the next writer: that line is damaged for good,
 * and no other. */
static int torn_lines(struct house *h)
{
    const char *p = problems_of(h, "p/f");
    int n = 0;

    for (; *p; p += strcspn(p, " ") + 1, n++)
        YES(!strncmp(p, "torn@", 5) || !strncmp(p, "garbage@", 8) ||
            !strncmp(p, "no_newline@", 11));
    return n;
}

static void still_works(struct house *h)
{
    quire_session *s = house_open_session(h, "p/f", 0);
    const char *id = say(s, "user", "after");

    quire_session_close(s);
    s = house_open_session(h, "p/f", QUIRE_SESSION_READ);
    SAME_TEXT(id, leaf_of(s));
    quire_session_close(s);
}

/* What a campaign knows from one round to the next. */
struct campaign {
    struct house h;
    size_t seen; /* of the file, give or take a title */
    int n;       /* entries that were acknowledged    */
    int rounds;
};

static void run_round(struct campaign *c, void (*work)(struct writer *w),
                      bool in_order, long nap_us)
{
    int fd = run_and_kill(work, nap_us);
    quire_bytes text = house_read(&c->h, "p/f");
    size_t known = text.len < c->seen ? text.len : c->seen;

    /* What is new is behind what was there. */
    c->n += acknowledged(fd, bytes_sub(text, known, text.len), in_order);
    c->seen = text.len > 200 ? text.len - 200 : 0;
    c->rounds++;
    YES(torn_lines(&c->h) <= c->rounds);
    if (c->rounds == 1)
        lines_are_whole(text);
    still_works(&c->h);
}

static void campaign(void (*work)(struct writer *w), bool in_order)
{
    struct campaign c = {.seen = 0};
    long nap_us;

    house_open(&c.h, true);
    c.h.env.busy_ms = 5000;
    house_write(&c.h, "p/f", HEADER);
    while (c.rounds < ROUNDS)
        run_round(&c, work, in_order, 1000 + (c.rounds * 7919) % 14000);
    /* How far a writer gets in that time is up to the disk and to sanitizers;
     * but one that got nowhere has quote_text nothing. */
    for (nap_us = 20000; c.n == 0 && nap_us < 900000; nap_us *= 2)
        run_round(&c, work, in_order, nap_us);
    YES(c.n > 0);
    house_close(&c.h);
}

TEST(after_kill_9_every_acknowledged_entry_is_there_in_order)
{
    campaign(append_for_ever, true);
}

TEST(after_kill_9_of_two_that_take_turns_every_entry_is_there)
{
    campaign(take_turns, false);
}

TEST(after_kill_9_while_renaming_every_entry_is_there)
{
    campaign(rename_for_ever, true);
}

TEST(after_kill_9_of_sixteen_that_append_at_once_every_entry_is_there)
{
    campaign(append_in_threads, false);
}

/* ---- older versions ----------------------------------------------------- */

static void migrate_once(struct writer *w)
{
    writer_open(w);
    if (write(w->pipe, "migrated-------", ID) != ID)
        _exit(1);
    for (;;)
        pause();
}

/* As many as are worth some milliseconds. */
static quire_bytes old_file(void)
{
    enum { N = 3000 };
    char *text = test_alloc(N * 120 + 100);
    size_t at = (size_t)sprintf(text, "{\"type\":\"session\",\"id\":\"s1\"}\n");
    int i;

    for (i = 0; i < N; i++)
        at += (size_t)sprintf(text + at,
                              "{\"type\":\"message\",\"message\":{\"role\":"
                              "\"user\",\"content\":\"number %d\"}}\n",
                              i);
    return bytes_of(text, at);
}

TEST(after_kill_9_while_migrating_the_file_is_the_old_one_or_the_new)
{
    quire_bytes old = old_file();
    int round, n_old = 0, n_new = 0;

    for (round = 0; round < ROUNDS; round++) {
        struct house h;
        quire_session *s;
        char id[ID];
        bool told;
        int fd;

        house_open(&h, true);
        h.env.busy_ms = 5000;
        house_write_bytes(&h, "p/f", old);
        fd = run_and_kill(migrate_once, 300 + round * 400);
        told = read(fd, id, ID) == ID;
        close(fd);
        if (bytes_equal(old, house_read(&h, "p/f")))
            n_old++;
        else
            n_new++;
        NO(told && bytes_equal(old, house_read(&h, "p/f")));
        SAME_TEXT("", problems_of(&h, "p/f"));
        s = house_open_session(&h, "p/f", 0);
        HAS(all_entries(s), "\"number 2999\"");
        quire_session_close(s);
        house_close(&h);
        test_forget_dir();
    }
    YES(n_old + n_new == ROUNDS);
}
