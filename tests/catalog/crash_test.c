/*
 * Writers of the catalogue that die at any moment.
 *
 * Each writer tells down a pipe what it is about to do, and then that it is
 * done. So a slot is, after the kill, what was last acknowledged or what was
 * about to be; and the rest must not contradict itself.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/bytes.h"
#include "support/catalog.h"
#include "support/slow.h"
#include "support/tenants.h"

enum { WRITERS = 3, SLOTS = 4 };
enum { ABSENT = 0, AWAY = -1 }; /* else: the number of its content */

/* What a writer says. */
struct note {
    int who, slot;
    int number;  /* what the slot is to be           */
    int content; /* that it has, also when it is away */
    bool done;
    char session[64]; /* it was made, or goes: number ABSENT */
};

static quire_status open_home(quire **q)
{
    quire_options o = QUIRE_OPTIONS_INIT;

    o.home = test_path("home");
    o.tenant = "default";
    o.busy_ms = 20000;
    return quire_open(&o, q, &test_err);
}

static void name_slot(int who, int slot, char out[32])
{
    snprintf(out, 32, "w%d/s%d", who, slot);
}

/* Some of it is large enough for a file. */
static quire_bytes content(int who, int slot, int number)
{
    static char text[90000];
    size_t len = number % 7 == 6 ? sizeof text : 200;
    int at;

    test_noise((uint64_t)number, text, len);
    if (len == 200)
        memset(text, ' ', len);
    at = snprintf(text, 100, "unique%dx%dx%d ", who, slot, number);
    text[at] = ' ';
    return bytes_of(text, len);
}

/* ---- in the writer ------------------------------------------------------ */

struct writer {
    quire *q;
    int who, out;
    uint64_t seed;
    int number[SLOTS], content[SLOTS];
    int next; /* the number of the next content */
};

static void tell(struct writer *w, struct note *n, bool done)
{
    n->who = w->who;
    n->done = done;
    if (write(w->out, n, sizeof *n) != sizeof *n)
        _exit(1);
}

static void must(quire_status st)
{
    if (!st)
        return;
    fprintf(stderr, "writer: %s: %s\n", quire_status_name(st), test_err.what);
    _exit(1);
}

static void change_slot(struct writer *w)
{
    struct note n = {.slot = (int)slow_random(&w->seed, SLOTS)};
    int *number = &w->number[n.slot], *kept = &w->content[n.slot];
    bool purge = slow_random(&w->seed, 4) == 0;
    quire_artifact a;
    char path[32];

    name_slot(w->who, n.slot, path);
    if (*number > 0 && slow_random(&w->seed, 3) == 0) {
        n.number = purge ? ABSENT : AWAY;
        n.content = *kept;
        tell(w, &n, false);
        must(quire_artifact_remove(w->q, NULL, path, purge, &test_err));
    } else if (*number == AWAY) {
        n.number = n.content = *kept;
        tell(w, &n, false);
        must(quire_artifact_restore(w->q, NULL, path, &a, &test_err));
    } else {
        n.number = n.content = w->next++;
        tell(w, &n, false);
        must(quire_artifact_put(w->q, NULL, path,
                                content(w->who, n.slot, n.number), NULL, &a,
                                &test_err));
    }
    tell(w, &n, true);
    *number = n.number;
    *kept = n.content;
}

/* A session with an artifact and an entry that links it, which goes again. */
static void pass_session(struct writer *w)
{
    quire_session_options o = QUIRE_SESSION_OPTIONS_INIT;
    quire_memory_options m = QUIRE_MEMORY_OPTIONS_INIT;
    struct note n = {.slot = -1, .number = 1};
    quire_session_info info;
    quire_session *s;
    quire_artifact a;

    o.flags = QUIRE_SESSION_AT_ONCE;
    o.cwd = "/w";
    must(quire_session_new(w->q, &o, &s, &test_err));
    quire_session_describe(s, &info);
    snprintf(n.session, sizeof n.session, "%s", info.id);
    quire_session_close(s);
    must(quire_artifact_put(w->q, n.session, "f", bytes_str("of the session"),
                            NULL, &a, &test_err));
    tell(w, &n, true);
    m.title = bytes_str("linked");
    m.content = bytes_str("to what goes");
    m.artifact = a.id;
    must(quire_memory_add(w->q, n.session, &m, NULL, &test_err));
    n.number = ABSENT;
    tell(w, &n, false);
    must(quire_session_remove(w->q, n.session, &test_err));
    tell(w, &n, true);
}

static void pass_tenant(struct writer *w)
{
    quire_options o = QUIRE_OPTIONS_INIT;
    char token[QUIRE_TOKEN_SIZE], name[48];
    quire_session *s;
    quire *q;

    snprintf(name, sizeof name, "t%d-%d-%d", w->who, w->next++, (int)getpid());
    must(quire_tenant_add(w->q, name, token, NULL, &test_err));
    o.home = test_path("home");
    o.tenant = name;
    o.busy_ms = 20000;
    must(quire_open(&o, &q, &test_err));
    must(quire_artifact_put(q, NULL, "x", bytes_str("theirs"), NULL, NULL,
                            &test_err));
    must(quire_session_new(q, NULL, &s, &test_err));
    quire_session_close(s);
    quire_close(q);
    must(quire_tenant_remove(w->q, name, 1, &test_err));
}

static void write_until_killed(struct writer *w)
{
    if (open_home(&w->q))
        _exit(1);
    for (;;) {
        uint64_t what = slow_random(&w->seed, 12);

        if (what == 0)
            pass_session(w);
        else if (what == 1)
            pass_tenant(w);
        else
            change_slot(w);
    }
}

/* ---- afterwards --------------------------------------------------------- */

struct slot {
    int number, content;   /* acknowledged        */
    int wanted, wanted_of; /* or this; as it says */
};

struct world {
    struct slot slots[WRITERS][SLOTS];
    int acked;
};

static quire_status count_hit(void *ctx, const quire_hit *hit, quire_error *err)
{
    (void)hit;
    (void)err;
    ++*(int *)ctx;
    return QUIRE_OK;
}

static quire_status add_bytes(void *ctx, quire_bytes bytes, quire_error *err)
{
    (void)err;
    buf_add(ctx, bytes.data, bytes.len);
    return QUIRE_OK;
}

/* Whether a slot has the content of that number, whole, and is found once. */
static bool is_content(quire *q, int who, int slot, int number)
{
    struct buf got = BUF_INIT(1 << 20);
    quire_bytes want = content(who, slot, number);
    quire_artifact a;
    char path[32], word[64];
    bool same;
    int hits = 0;

    name_slot(who, slot, path);
    OK(quire_artifact_get(q, NULL, path, NULL, add_bytes, &got, &a, &test_err));
    same = bytes_equal(want, buf_bytes(&got));
    buf_release(&got);
    if (!same || want.len > 200) /* noise is not looked for */
        return same;
    snprintf(word, sizeof word, "unique%dx%dx%d", who, slot, number);
    OK(quire_artifact_search(q, NULL, word, NULL, count_hit, &hits, NULL,
                             &test_err));
    EQ(1, hits);
    return true;
}

/* What the slot is now becomes what it is known to be. */
static void look_at(quire *q, int who, int slot, struct slot *s)
{
    quire_artifact a;
    quire_status st;
    char path[32];

    name_slot(who, slot, path);
    st = quire_artifact_stat(q, NULL, path, NULL, &a, &test_err);
    if (st == QUIRE_NOT_FOUND) {
        YES(s->number <= 0 || s->wanted <= 0);
        if (s->wanted <= 0) {
            s->number = s->wanted;
            s->content = s->wanted_of;
        }
        return;
    }
    OK(st);
    if (s->wanted > 0 && is_content(q, who, slot, s->wanted)) {
        s->number = s->content = s->wanted;
        return;
    }
    YES(s->number > 0 && is_content(q, who, slot, s->number));
}

static void look_at_session(quire *q, const struct note *n)
{
    quire_artifact a;
    quire_status st = quire_artifact_stat(q, n->session, "f", NULL, &a,
                                          &test_err);

    if (n->number == ABSENT && !n->done)
        return; /* either way */
    IS(n->number == ABSENT ? QUIRE_NOT_FOUND : QUIRE_OK, st);
}

static void hear(struct world *w, int fd, struct note *sessions)
{
    struct note n;

    while (read(fd, &n, sizeof n) == sizeof n) {
        w->acked += n.done;
        if (n.slot < 0) {
            sessions[n.who] = n; /* the last word on it */
        } else {
            struct slot *s = &w->slots[n.who][n.slot];

            s->wanted = n.number;
            s->wanted_of = n.content;
            if (n.done) {
                s->number = n.number;
                s->content = n.content;
            }
        }
    }
    close(fd);
}

static void take_stock(struct world *w, const struct note *sessions)
{
    uint64_t wrong;
    quire *q;
    int who, slot;

    OK(open_home(&q));
    OK(quire_artifact_recount(q, &wrong, &test_err)); /* and what was noted */
    EQ(0, wrong);
    EQ(0, catalogue_number("SELECT count(*) FROM removal"));
    catalogue_sound();
    for (who = 0; who < WRITERS; who++) {
        for (slot = 0; slot < SLOTS; slot++)
            look_at(q, who, slot, &w->slots[who][slot]);
        if (sessions[who].session[0])
            look_at_session(q, &sessions[who]);
    }
    quire_close(q);
}

static pid_t start(const struct world *w, int who, int round, int out)
{
    struct writer writer = {.who = who,
                            .out = out,
                            .seed = (uint64_t)(round * WRITERS + who),
                            .next = 1 + round * 10000};
    pid_t child = fork();
    int i;

    if (child)
        return child;
    for (i = 0; i < SLOTS; i++) {
        writer.number[i] = w->slots[who][i].number;
        writer.content[i] = w->slots[who][i].content;
    }
    write_until_killed(&writer);
    return 0;
}

static void one_round(struct world *w, int round)
{
    struct timespec nap = {.tv_nsec = (5 + round * 7 % 31) * 1000000L};
    struct note *sessions = test_alloc(WRITERS * sizeof *sessions);
    pid_t child[WRITERS];
    int i, fd[2], status;

    YES(pipe(fd) == 0);
    for (i = 0; i < WRITERS; i++)
        child[i] = start(w, i, round, fd[1]);
    close(fd[1]);
    nanosleep(&nap, NULL);
    for (i = 0; i < WRITERS; i++)
        kill(child[i], SIGKILL);
    for (i = 0; i < WRITERS; i++) {
        waitpid(child[i], &status, 0);
        YES(WIFSIGNALED(status));
    }
    hear(w, fd[0], sessions);
    take_stock(w, sessions);
}

TEST(after_kill_9_the_catalogue_is_whole_and_has_what_was_acknowledged)
{
    struct world *w = test_alloc(sizeof *w);
    int round, rounds = catalogue_long() ? 400 : 40;
    quire *q = tenants_open(NULL, 0);

    tenants_put(q, "there", "before");
    quire_close(q);
    for (round = 0; round < rounds; round++)
        one_round(w, round);
    YES(w->acked > rounds);
    NO(test_litter(test_path("home/blobs")));
}
