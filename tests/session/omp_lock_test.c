/* Others in the file: programs that share it, politely or not. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/bytes.h"
#include "session/priv.h"
#include "support/session.h"

#define LINE(id, parent)                                                 \
    "{\"type\":\"message\",\"id\":\"" id "\",\"parentId\":" parent       \
    ",\"timestamp\":\"2026-02-16T10:21:00.000Z\",\"message\":{\"role\":" \
    "\"user\",\"content\":\"" id "\"}}"
#define A LINE("a", "null") "\n"
#define B LINE("b", "\"a\"") "\n"
#define C LINE("c", "\"b\"") "\n"

/* ---- another program's hands on the file -------------------------------- */

static const char *file(void)
{
    return test_path("home/f");
}

static void add_to(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_APPEND);

    YES(fd >= 0);
    EQ(strlen(text), write(fd, text, strlen(text)));
    close(fd);
}

static void replace_with(const char *text)
{
    test_write_file(test_path("home/new"), bytes_str(text));
    EQ(0, rename(test_path("home/new"), file()));
}

static quire_session *start(struct house *h, const char *text)
{
    house_open(h, true);
    house_write(h, "f", text);
    return house_open_session(h, "f", 0);
}

static void finish(struct house *h, quire_session *s)
{
    quire_session_close(s);
    house_close(h);
}

/* What whoever opens it next is quote_text. */
static const char *path_on_disk(struct house *h)
{
    quire_session *s = house_open_session(h, "f", QUIRE_SESSION_READ);
    const char *path = path_of(s, NULL);

    quire_session_close(s);
    return path;
}

static const char *joined(const char *before, const char *id)
{
    char *out = test_alloc(300);

    snprintf(out, 300, "%s%s%s", before, *before ? " " : "", id);
    return out;
}

TEST(a_line_that_somebody_adds_becomes_the_parent_of_ours)
{
    struct house h;
    quire_session *s = start(&h, HEADER A);
    const char *id;

    add_to(file(), B);
    id = say(s, "user", "more");
    SAME_TEXT(joined("a b", id), path_of(s, NULL));
    SAME_TEXT(joined("a b", id), path_on_disk(&h));
    finish(&h, s);
}

TEST(a_line_that_somebody_writes_in_two_parts_is_not_cut_by_ours)
{
    struct house h;
    quire_session *s = start(&h, HEADER A);
    const char *first, *second;

    add_to(file(), "{\"type\":\"custom\",\"id\":\"b\"");
    first = say(s, "user", "between");
    add_to(file(), ",\"parentId\":null}\n");
    second = say(s, "user", "behind");
    SAME_TEXT(joined(joined("a", first), second), path_on_disk(&h));
    finish(&h, s);
}

TEST(a_leaf_that_was_moved_stays_when_somebody_adds_a_line)
{
    struct house h;
    quire_session *s = start(&h, HEADER A B);
    const char *id;

    OK(quire_session_branch(s, "a", false, NULL, &test_err));
    add_to(file(), C);
    id = say(s, "user", "more");
    SAME_TEXT(joined("a", id), path_of(s, NULL));
    OK(quire_session_branch(s, NULL, false, NULL, &test_err));
    add_to(file(), LINE("d", "\"c\"") "\n");
    id = say(s, "user", "a new root");
    SAME_TEXT(id, path_of(s, NULL));
    finish(&h, s);
}

TEST(a_file_that_somebody_cut_goes_on_where_it_ends)
{
    static const size_t cuts[] = {0, 1, 20, 150};
    size_t i;

    for (i = 0; i < sizeof cuts / sizeof *cuts; i++) {
        struct house h;
        quire_session *s = start(&h, HEADER A B C);
        const char *whole = HEADER A B C, *id;

        EQ(0, truncate(file(), (off_t)(strlen(whole) - cuts[i])));
        id = say(s, "user", "more");
        SAME_TEXT(path_of(s, NULL), path_on_disk(&h));
        HAS(path_on_disk(&h), id);
        YES(test_read_file(file()).len > strlen(whole) - cuts[i]);
        finish(&h, s);
        test_forget_dir();
    }
}

/* No header, no session: an entry would be lost in it. */
TEST(a_file_that_somebody_emptied_is_not_appended_to_without_a_header)
{
    struct house h;
    quire_session *s = start(&h, HEADER A);
    quire_status st;

    EQ(0, truncate(file(), 0));
    st = quire_session_append(s, bytes_str("{\"type\":\"custom\"}"), NULL, NULL,
                              &test_err);
    if (st) {
        EQ(0, test_read_file(file()).len);
        YES(test_err.what[0] != '\0');
    } else {
        YES(path_on_disk(&h)[0] != '\0');
    }
    finish(&h, s);
}

TEST(a_file_that_took_the_place_of_ours_is_the_one_we_append_to)
{
    struct house h;
    quire_session *s = start(&h, HEADER A);
    const char *id;

    replace_with(HEADER A B C);
    id = say(s, "user", "more");
    SAME_TEXT(joined("a b c", id), path_on_disk(&h));
    replace_with(HEADER A);
    id = say(s, "user", "again");
    SAME_TEXT(joined("a", id), path_on_disk(&h));
    finish(&h, s);
}

/* Renamed away, or with a second name: it still has a link. */
TEST(a_file_that_was_put_aside_is_not_the_one_we_append_to)
{
    int linked;

    for (linked = 0; linked < 2; linked++) {
        struct house h;
        quire_session *s = start(&h, HEADER A);
        const char *id;

        if (linked)
            EQ(0, link(file(), test_path("home/aside")));
        else
            EQ(0, rename(file(), test_path("home/aside")));
        replace_with(HEADER A B);
        usleep(40000); /* names are not looked at all the time */
        id = say(s, "user", "more");
        SAME_TEXT(joined("a b", id), path_on_disk(&h));
        SAME(bytes_str(HEADER A), test_read_file(test_path("home/aside")));
        finish(&h, s);
        test_forget_dir();
    }
}

TEST(a_file_of_an_older_version_in_the_place_of_ours_is_not_mixed_up)
{
    static const char old[] =
        "{\"type\":\"session\",\"id\":\"s1\",\"cwd\":\"/w\"}\n"
        "{\"type\":\"message\",\"message\":{\"role\":\"user\",\"content\":"
        "\"of old\"}}\n";
    struct house h;
    quire_session *s = start(&h, HEADER A), *again;
    quire_status st;

    replace_with(old);
    st = quire_session_append(s, bytes_str("{\"type\":\"custom\"}"), NULL, NULL,
                              &test_err);
    if (st)
        SAME(bytes_str(old), test_read_file(file()));
    quire_session_close(s);
    again = house_open_session(&h, "f", 0);
    HAS(all_entries(again), "of old");
    if (!st)
        HAS(all_entries(again), "custom");
    SAME_TEXT("", problems_of(&h, "f"));
    finish(&h, again);
}

TEST(a_file_that_is_gone_or_a_directory_is_an_error_that_names_it)
{
    int dir;

    for (dir = 0; dir < 2; dir++) {
        struct house h;
        quire_session *s = start(&h, HEADER A);

        EQ(0, unlink(file()));
        if (dir)
            EQ(0, mkdir(file(), 0700));
        test_err.what[0] = '\0';
        YES(quire_session_append(s, bytes_str("{\"type\":\"custom\"}"), NULL,
                                 NULL, &test_err) != QUIRE_OK);
        HAS(test_err.what, "/f");
        NO(quire_session_append(s, bytes_str("{\"type\":\"custom\"}"), NULL,
                                NULL, &test_err) == QUIRE_OK);
        EQ(dir, test_exists(file()));
        finish(&h, s);
        test_forget_dir();
    }
}

TEST(a_reader_keeps_what_it_has_open_when_the_file_is_replaced)
{
    struct house h;
    quire_session *s;

    house_open(&h, true);
    house_write(&h, "f", HEADER A B);
    s = house_open_session(&h, "f", QUIRE_SESSION_READ);
    EQ(0, unlink(file()));
    SAME_TEXT("a b", path_of(s, NULL));
    finish(&h, s);
}

/* ---- callbacks ---------------------------------------------------------- */

struct nosy {
    quire_session *s;
    int calls;
};

static quire_status pry(void *ctx, const quire_entry *e, quire_error *err)
{
    struct nosy *n = ctx;
    quire_session_info info;
    quire_bytes header;

    (void)err;
    (void)e;
    IS(QUIRE_INVALID, quire_session_header(n->s, &header, &test_err));
    IS(QUIRE_INVALID, quire_session_flush(n->s, &test_err));
    if (n->calls++ == 0)
        add_to(file(), C);
    quire_session_describe(n->s, &info);
    IS(QUIRE_INVALID, quire_session_flush(n->s, &test_err));
    return QUIRE_OK;
}

TEST(a_callback_that_asks_its_own_session_is_refused_and_harms_nothing)
{
    struct house h;
    quire_session *s = start(&h, HEADER A B);
    struct nosy n = {s, 0};

    OK(quire_session_entries(s, 0, pry, &n, &test_err));
    EQ(2, n.calls);
    SAME_TEXT("a b c", path_of(s, NULL));
    finish(&h, s);
}

/* ---- oh-my-pi's locks --------------------------------------------------- */

#define SEED_1 UINT64_C(0x4f4d502d4c4f434b)
#define SEED_2 UINT64_C(0x50492d46494c454c)

TEST(the_digests_in_the_name_of_the_lock_are_xxh64)
{
    YES(omp_lock_hash(bytes_str(""), SEED_1) == UINT64_C(0xdd4458733774f8b0));
    YES(omp_lock_hash(bytes_str(""), SEED_2) == UINT64_C(0x2ff557a2e70c6e06));
    YES(omp_lock_hash(bytes_str("a"), SEED_1) == UINT64_C(0xa053d1cfb2118107));
    YES(omp_lock_hash(bytes_str("a"), SEED_2) == UINT64_C(0xa3b15dd2e2b5ebdb));
}

static const char *lock_path(void)
{
    return test_path("home/.f.lock");
}

/* A house of oh-my-pi's, and somebody who looks in before each call. */
struct watched {
    struct store *store;
    struct session_env env;
    const char *call; /* when to look                                       */
    void (*look)(void);
    int looks;
};

static quire_status peek(void *ctx, const char *call, const char *on,
                         quire_error *err)
{
    struct watched *w = ctx;

    (void)on;
    (void)err;
    if (w->look && !strcmp(call, w->call)) {
        w->looks++;
        w->look();
    }
    return QUIRE_OK;
}

static void watch(struct watched *w, const char *text)
{
    struct intercept tap = {.before = peek, .ctx = w};

    *w = (struct watched){.store = NULL};
    OK(store_files_open(test_path("home"), false, &w->store, &test_err));
    OK(store_intercept(w->store, tap, &test_err));
    w->env = (struct session_env){.clock = &test_clock,
                                  .rand = &rand_system,
                                  .omp = true};
    mkdir(test_path("home"), 0700);
    test_write_file(file(), bytes_str(text));
}

static quire_session *open_watched(struct watched *w)
{
    struct session_place place = {.store = w->store, .name = "f"};
    quire_session *s = NULL;

    OK(session_open(&w->env, &place, NULL, 0, QUIRE_SYNC_FLUSH, &s, &test_err));
    return s;
}

static void unwatch(struct watched *w, quire_session *s)
{
    quire_session_close(s);
    store_free(w->store);
    NO(test_exists(lock_path()));
}

/* It is ours, and says so in their words. */
static void locked_by_us(void)
{
    struct omp_lock again = OMP_LOCK_INIT;
    quire_bytes text = test_read_file(lock_path());
    long long pid = 0, ms = 0;

    EQ(2, sscanf(text.data, "%lld:%lld\n", &pid, &ms));
    EQ(getpid(), pid);
    YES(llabs(ms / 1000 - (long long)time(NULL)) < 5);
    YES(((const char *)text.data)[text.len - 1] == '\n');
    IS(QUIRE_BUSY, omp_lock_acquire(file(), 0, &again, &test_err));
}

TEST(an_append_beside_oh_my_pi_holds_its_lock_and_gives_it_back)
{
    struct watched w;
    quire_session *s;

    watch(&w, HEADER A);
    s = open_watched(&w);
    NO(test_exists(lock_path()));
    w.call = "log append";
    w.look = locked_by_us;
    say(s, "user", "more");
    EQ(1, w.looks);
    NO(test_exists(lock_path()));
    unwatch(&w, s);
}

/* Whoever reads the file to write it anew has to keep others from adding to it
 * from the reading on. */
TEST(a_rewrite_beside_oh_my_pi_holds_its_lock_from_the_first_line_on)
{
    static const char *const texts[] =
        {"{\"type\":\"session\",\"id\":\"s1\"}\n"
         "{\"type\":\"message\",\"message\":{\"role\":\"user\"}}\n",
         HEADER A, HEADER A "rubbish\n" B};
    struct watched w;
    quire_session *s;
    bool changed;
    int i;

    for (i = 0; i < 3; i++) {
        watch(&w, texts[i]);
        w.call = i == 2 ? "log replace" : "log write";
        w.look = i == 1 ? NULL : locked_by_us;
        s = i == 2 ? NULL : open_watched(&w);
        w.look = locked_by_us;
        if (i == 1)
            OK(session_rename(s, "title", &test_err));
        if (i == 2)
            OK(session_mend(&w.env, w.store, "f", "kept", &changed, &test_err));
        YES(w.looks > 0);
        unwatch(&w, s);
        test_forget_dir();
    }
}

static pid_t somebody_dead(void)
{
    int status;
    pid_t child = fork();

    if (child == 0)
        _exit(0);
    waitpid(child, &status, 0);
    return child;
}

static void leave_lock(const char *text)
{
    test_write_file(lock_path(), bytes_str(text));
}

static void is_taken(struct watched *w, quire_session *s)
{
    (void)w;
    say(s, "user", "more");
    NO(test_exists(lock_path()));
}

static void is_respected(struct watched *w, quire_session *s, const char *text)
{
    quire_bytes before = test_read_file(file());

    (void)w;
    IS(QUIRE_BUSY, quire_session_append(s, bytes_str("{\"type\":\"custom\"}"),
                                        NULL, NULL, &test_err));
    HAS(test_err.what, "home/f");
    HAS(test_err.next, ".f.lock");
    SAME(before, test_read_file(file()));
    SAME(bytes_str(text), test_read_file(lock_path()));
}

TEST(a_lock_file_is_taken_from_the_dead_and_left_to_the_living)
{
    static const struct timespec old[2] = {{.tv_sec = 1000}, {.tv_sec = 1000}};
    struct watched w;
    quire_session *s;
    char text[64];

    watch(&w, HEADER A);
    s = open_watched(&w);
    snprintf(text, sizeof text, "%ld:1\n", (long)somebody_dead());
    leave_lock(text);
    is_taken(&w, s);
    leave_lock("1:1\n"); /* old, and alive */
    EQ(0, utimensat(AT_FDCWD, lock_path(), old, 0));
    is_respected(&w, s, "1:1\n");
    leave_lock("nobody knows"); /* perhaps somebody is just writing it */
    is_respected(&w, s, "nobody knows");
    EQ(0, utimensat(AT_FDCWD, lock_path(), old, 0));
    is_taken(&w, s);
    unwatch(&w, s);
}

/* Another process has the lock for a while; nothing is written meanwhile. */
TEST(an_append_waits_for_the_process_that_has_the_lock)
{
    struct watched w;
    quire_session *s;
    quire_bytes before;
    int up[2], status;
    char c;
    pid_t child;

    watch(&w, HEADER A);
    s = open_watched(&w);
    before = test_read_file(file());
    YES(pipe(up) == 0);
    child = fork();
    if (child == 0) {
        struct omp_lock l = OMP_LOCK_INIT;
        bool still;

        if (omp_lock_acquire(file(), 1000, &l, NULL) ||
            write(up[1], "l", 1) != 1)
            _exit(1);
        usleep(100000);
        still = bytes_equal(before, test_read_file(file()));
        omp_lock_release(&l);
        _exit(!still);
    }
    EQ(1, read(up[0], &c, 1));
    IS(QUIRE_BUSY, quire_session_append(s, bytes_str("{\"type\":\"custom\"}"),
                                        NULL, NULL, &test_err));
    quire_session_close(s);
    w.env.busy_ms = 5000;
    s = open_watched(&w);
    say(s, "user", "at last");
    waitpid(child, &status, 0);
    EQ(0, status);
    close(up[0]);
    close(up[1]);
    unwatch(&w, s);
}

/* ---- between opening and holding ---------------------------------------- */

static void swap_it(void)
{
    if (test_read_file(file()).len == strlen(HEADER A "rubbish\n"))
        replace_with(HEADER A "rubbish\n" B C);
}

TEST(a_repair_mends_the_file_that_has_the_name_when_it_holds_it)
{
    struct watched w;
    quire_session *s;
    bool changed;

    watch(&w, HEADER A "rubbish\n");
    w.call = "log hold";
    w.look = swap_it;
    OK(session_mend(&w.env, w.store, "f", "kept", &changed, &test_err));
    w.look = NULL;
    YES(w.looks > 0);
    s = open_watched(&w);
    SAME_TEXT("a b c", path_of(s, NULL));
    unwatch(&w, s);
}

/* ---- one writer --------------------------------------------------------- */

/* A process that has the session open until it is killed. */
static pid_t holder(const char *name)
{
    char ready;
    int fd[2];
    pid_t child;

    YES(pipe(fd) == 0);
    child = fork();
    if (child == 0) {
        struct house h;
        quire_session *s;

        prctl(PR_SET_PDEATHSIG, SIGKILL);
        house_open(&h, true);
        s = house_open_session(&h, name, 0);
        if (write(fd[1], "r", 1) != 1 || !s)
            _exit(1);
        for (;;)
            pause();
    }
    close(fd[1]);
    EQ(1, read(fd[0], &ready, 1));
    close(fd[0]);
    return child;
}

static void end(pid_t child)
{
    int status;

    kill(child, SIGKILL);
    waitpid(child, &status, 0);
}

TEST(a_second_writer_is_told_who_the_first_is_until_that_one_dies)
{
    struct session_place place = {.name = "f"};
    char who[64];
    struct house h;
    quire_session *s;
    pid_t child;

    house_open(&h, true);
    house_write(&h, "f", HEADER A);
    child = holder("f");
    place.store = h.store;
    IS(QUIRE_BUSY,
       session_open(&h.env, &place, NULL, 0, QUIRE_SYNC_NONE, &s, &test_err));
    snprintf(who, sizeof who, "process %ld (%.15s)", (long)child,
             program_invocation_short_name);
    HAS(test_err.what, who);
    HAS(test_err.what, "home/f");
    YES(test_err.next[0] != '\0');
    s = house_open_session(&h, "f", QUIRE_SESSION_READ); /* nobody waits */
    SAME_TEXT("a", path_of(s, NULL));
    quire_session_close(s);
    end(child);
    s = house_open_session(&h, "f", 0);
    say(s, "user", "more");
    finish(&h, s);
}

TEST(a_second_handle_in_the_same_process_is_told_so)
{
    struct session_place place = {.name = "f"};
    struct house h;
    quire_session *s = start(&h, HEADER A), *t;

    place.store = h.store;
    IS(QUIRE_BUSY,
       session_open(&h.env, &place, NULL, 0, QUIRE_SYNC_NONE, &t, &test_err));
    HAS(test_err.what, "this process");
    OK(session_rename(s, "a new file", &test_err)); /* which is held as well */
    IS(QUIRE_BUSY,
       session_open(&h.env, &place, NULL, 0, QUIRE_SYNC_NONE, &t, &test_err));
    finish(&h, s);
}
