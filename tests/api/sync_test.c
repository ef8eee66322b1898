/* Sync: homes agree afterwards, in any order; nothing is lost or removed; a stream that
 * ends or lies does no harm. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "support/catalog.h"
#include "support/homes.h"
#include "sync/wire.h"

TEST(a_home_gets_what_it_lacks_and_a_second_sync_sends_nothing)
{
    quire *a = homes_open("a"), *b;
    const char *s = homes_session(a, "one"), *content;
    quire_sync_result r;

    homes_append(a, s, NULL, "hello");
    homes_put(a, s, "notes/a.md", "text");
    homes_put(a, s, "notes/a.md", "more text");
    homes_remember(a, "likes", "tea");
    homes_output(a, s, "0.bash.log", "what the tool said");
    r = homes_sync(a, "b");
    EQ(4, r.sent);
    EQ(0, r.received);
    b = homes_open("b");
    content = homes_content(a);
    SAME_TEXT(content, homes_content(b));
    r = homes_sync(a, "b");
    EQ(0, r.sent + r.received);
    EQ(1, r.trips);
    r = homes_sync(b, "a");
    EQ(0, r.sent + r.received);
    SAME_TEXT(content, homes_content(a));
    quire_close(a);
    quire_close(b);
    catalogue_sound_in("a");
    catalogue_sound_in("b");
}

TEST(both_homes_keep_their_leaf_where_both_have_appended)
{
    quire *a = homes_open("a"), *b = homes_open("b");
    const char *s = homes_session(a, "one"), *x, *y, *z;
    quire_sync_result r;

    homes_append(a, s, NULL, "common");
    homes_sync(a, "b");
    x = homes_append(a, s, NULL, "of a");
    homes_append(b, s, NULL, "of b");
    y = homes_append(b, s, NULL, "of b, too");
    r = homes_sync(a, "b");
    EQ(1, r.merged);
    SAME_TEXT(homes_content(a), homes_content(b));
    SAME_TEXT(x, homes_leaf(a, s));
    SAME_TEXT(y, homes_leaf(b, s));
    /* What is appended now goes to the own branch, and moves no leaf elsewhere. */
    homes_append(a, s, NULL, "of a, too");
    homes_sync(b, "a");
    SAME_TEXT(homes_content(a), homes_content(b));
    SAME_TEXT(y, homes_leaf(b, s));
    /* Where one only continues the other, the leaf moves on. */
    z = homes_append(b, s, homes_leaf(a, s), "of b on the branch of a");
    homes_sync(a, "b");
    SAME_TEXT(z, homes_leaf(a, s));
    r = homes_sync(a, "b");
    EQ(0, r.sent + r.received);
    quire_close(a);
    quire_close(b);
}

TEST(two_entries_with_one_id_are_both_kept_in_all_homes)
{
    quire *a = homes_open("a"), *b = homes_open("b"), *c = homes_open("c");
    const char *s = homes_session(a, "one"), *x;
    quire_session *open;
    quire_rewritten done;
    quire_bytes entry;
    char json[256];

    x = homes_append(a, s, NULL, "before");
    homes_sync(a, "b");
    snprintf(json, sizeof json,
             "{\"type\":\"message\",\"id\":\"%s\",\"message\":{\"role\":"
             "\"user\",\"content\":\"after\"}}",
             x);
    entry = bytes_str(json);
    OK(quire_session_open(b, s, NULL, &open, &test_err));
    OK(quire_session_rewrite(open, &entry, 1, &done, &test_err));
    quire_session_close(open);
    homes_append(a, s, NULL, "child in a");
    homes_append(b, s, NULL, "child in b");
    homes_sync(a, "b");
    SAME_TEXT(homes_content(a), homes_content(b));
    homes_sync(a, "c");
    SAME_TEXT(homes_content(a), homes_content(c));
    /* A child of either is a child of the same in every home. */
    homes_append(c, s, NULL, "child in c");
    homes_sync(b, "c");
    homes_sync(a, "b");
    SAME_TEXT(homes_content(a), homes_content(b));
    SAME_TEXT(homes_content(a), homes_content(c));
    EQ(0, homes_sync(a, "c").received);
    quire_close(a);
    quire_close(b);
    quire_close(c);
}

TEST(artifacts_keep_both_versions_and_memory_the_later_text)
{
    quire *a = homes_open("a"), *b = homes_open("b");
    const char *s = homes_session(a, "one");
    quire_memory_options o = QUIRE_MEMORY_OPTIONS_INIT;
    int64_t m = homes_remember(a, "likes", "tea");
    quire_memory out;
    quire_artifact got;
    quire_sync_result r;

    homes_put(a, s, "a.md", "common");
    homes_sync(a, "b");
    homes_put(a, s, "a.md", "of a");
    homes_put(b, s, "a.md", "of b");
    o.content = bytes_str("coffee");
    OK(quire_memory_edit(a, NULL, m, &o, &out, &test_err));
    r = homes_sync(b, "a");
    EQ(2, r.merged);
    SAME_TEXT(homes_content(a), homes_content(b));
    HAS(homes_content(b), "coffee");
    OK(quire_artifact_stat(a, s, "a.md", NULL, &got, &test_err));
    EQ(4, got.size);
    /* Removed in one, removed in both; it can be restored. */
    OK(quire_artifact_remove(a, s, "a.md", 0, &test_err));
    homes_sync(a, "b");
    IS(QUIRE_NOT_FOUND,
       quire_artifact_stat(b, s, "a.md", NULL, &got, &test_err));
    EQ(0, homes_sync(b, "a").received);
    quire_close(a);
    quire_close(b);
    catalogue_sound_in("a");
    catalogue_sound_in("b");
}

TEST(outputs_of_one_number_are_both_kept)
{
    quire *a = homes_open("a"), *b = homes_open("b");
    const char *s = homes_session(a, "one");

    homes_sync(a, "b");
    homes_output(a, s, "0.bash.log", "of a");
    homes_output(b, s, "0.bash.log", "of b");
    homes_sync(a, "b");
    SAME_TEXT(homes_content(a), homes_content(b));
    HAS(homes_content(a), "of b");
    EQ(0, homes_sync(a, "b").received);
    quire_close(a);
    quire_close(b);
}

TEST(what_is_local_stays_and_what_is_in_the_trash_does_not_come_back)
{
    quire *a = homes_open("a"), *b = homes_open("b");
    const char *s = homes_session(a, "secret"), *t = homes_session(a, "one");
    char before[4096];

    homes_append(a, s, NULL, "private");
    homes_put(a, s, "a.md", "private, too");
    homes_output(a, s, "0.bash.log", "private as well");
    homes_append(a, t, NULL, "shared");
    OK(quire_sync_set_local(a, QUIRE_LOCAL_SESSION, s, 1, &test_err));
    homes_sync(a, "b");
    snprintf(before, sizeof before, "%s", homes_content(b));
    NO(strstr(before, s) != NULL);
    HAS(before, t);
    OK(quire_sync_set_local(a, QUIRE_LOCAL_SESSION, s, 0, &test_err));
    OK(quire_sync_set_local(a, QUIRE_LOCAL_PROJECT, "/srv", 1, &test_err));
    EQ(0, homes_sync(a, "b").sent);
    OK(quire_sync_set_local(a, QUIRE_LOCAL_PROJECT, "/srv", 0, &test_err));
    OK(quire_session_trash(b, t, 0, NULL, &test_err));
    homes_sync(a, "b");
    NO(strstr(homes_content(b), t) != NULL);
    HAS(homes_content(b), s);
    OK(quire_session_restore(b, t, &(const char *){NULL}, &test_err));
    homes_sync(a, "b");
    SAME_TEXT(homes_content(a), homes_content(b));
    quire_close(a);
    quire_close(b);
}

/* ---- random programs ------------------------------------------------------------ */

struct world {
    quire *homes[3];
    const char *names[3];
    const char *sessions[12];
    size_t n_sessions;
    uint64_t seed;
    unsigned step;
};

static unsigned pick(struct world *w, unsigned below)
{
    w->seed = w->seed * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(w->seed >> 33) % below;
}

static bool has_session(quire *q, const char *id)
{
    const char *path;

    return quire_session_find(q, id, &path, &test_err) == QUIRE_OK;
}

static void act(struct world *w)
{
    quire *q = w->homes[pick(w, 3)];
    const char *s;
    char text[64], path[32];

    snprintf(text, sizeof text, "step %u", w->step);
    snprintf(path, sizeof path, "f%u.md", pick(w, 3));
    if (w->n_sessions == 0 ||
        (w->n_sessions < sizeof w->sessions / sizeof *w->sessions &&
         pick(w, 12) == 0)) {
        w->sessions[w->n_sessions++] = homes_session(q, text);
        return;
    }
    s = w->sessions[pick(w, (unsigned)w->n_sessions)];
    if (!has_session(q, s))
        return;
    switch (pick(w, 8)) {
    case 0: homes_put(q, s, path, text); break;
    case 1: quire_artifact_remove(q, s, path, 0, &test_err); break;
    case 2: homes_remember(q, text, path); break;
    case 3: quire_memory_invalidate(q, 1 + pick(w, 4), 0, &test_err); break;
    case 4: {
        quire_session *open;

        OK(quire_session_open(q, s, NULL, &open, &test_err));
        quire_session_branch(open, NULL, 0, NULL, &test_err);
        quire_session_close(open);
        homes_append(q, s, "root", text);
        break;
    }
    case 5:
        snprintf(path, sizeof path, "%u.bash.log", pick(w, 3));
        homes_output(q, s, path, text);
        break;
    default: homes_append(q, s, NULL, text);
    }
}

static void run_world(uint64_t seed)
{
    struct world w = {.names = {"a", "b", "c"}, .seed = seed};
    size_t i, j;

    for (i = 0; i < 3; i++)
        w.homes[i] = homes_open(w.names[i]);
    for (w.step = 0; w.step < 60; w.step++) {
        if (pick(&w, 6)) {
            act(&w);
            continue;
        }
        i = pick(&w, 3);
        j = (i + 1 + pick(&w, 2)) % 3;
        homes_sync(w.homes[i], w.names[j]);
    }
    for (i = 0; i < 2; i++) { /* all with all, twice: any order will do */
        homes_sync(w.homes[pick(&w, 2)], "c");
        homes_sync(w.homes[0], "b");
        homes_sync(w.homes[1], "c");
        homes_sync(w.homes[2], "a");
    }
    SAME_TEXT(homes_content(w.homes[0]), homes_content(w.homes[1]));
    SAME_TEXT(homes_content(w.homes[0]), homes_content(w.homes[2]));
    for (i = 0; i < 3; i++) {
        quire_sync_result r = homes_sync(w.homes[i], w.names[(i + 1) % 3]);

        EQ(0, r.sent + r.received);
        EQ(1, r.trips);
    }
    for (i = 0; i < 3; i++) {
        quire_close(w.homes[i]);
        catalogue_sound_in(w.names[i]);
    }
    test_forget_dir();
}

TEST(after_any_program_and_any_order_all_homes_agree)
{
    uint64_t n = catalogue_long() ? 200 : 6, i;

    for (i = 0; i < n; i++)
        run_world(7 + i);
}

/* ---- streams that end, peers that lie ------------------------------------------- */

static void fill(quire *q, unsigned from)
{
    const char *s = homes_session(q, "one");
    char text[32], *large = test_alloc(200001);
    unsigned i;

    for (i = 0; i < 20; i++) {
        snprintf(text, sizeof text, "entry %u", from + i);
        homes_append(q, s, NULL, text);
    }
    test_noise(from, large, 200000);
    for (i = 0; i < 200000; i++)
        large[i] = (char)('a' + (unsigned char)large[i] % 26);
    large[200000] = '\0';
    homes_put(q, s, "large.txt", large);
    homes_remember(q, "fact", text);
    homes_output(q, s, "0.bash.log", text);
}

TEST(a_stream_that_ends_anywhere_is_continued_by_the_next_sync)
{
    size_t limit;
    quire *a = homes_open("a"), *b = homes_open("b");
    quire_sync_result r;

    fill(a, 0);
    fill(b, 100);
    for (limit = 1; limit < 400000; limit += 1 + limit / 2)
        homes_sync_until(a, "b", limit, &r, &test_err);
    homes_sync(a, "b");
    SAME_TEXT(homes_content(a), homes_content(b));
    EQ(0, homes_sync(a, "b").received);
    quire_close(a);
    quire_close(b);
    catalogue_sound_in("a");
    catalogue_sound_in("b");
}

/* A process that syncs `from` with `to` is killed after a while. */
static void kill_sync(const char *from, const char *to, unsigned us)
{
    pid_t child = fork();

    if (child == 0) {
        quire_options o = QUIRE_OPTIONS_INIT;
        quire_sync_result r;
        quire_error err;
        quire *q;

        o.home = test_path(from);
        if (!quire_open(&o, &q, &err))
            homes_sync_until(q, to, 0, &r, &err);
        _exit(0);
    }
    usleep(us);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
}

TEST(a_sync_that_is_killed_at_any_moment_loses_nothing)
{
    unsigned us;
    quire *a, *b;

    /* It has failed once beside many other tests, for a reason not known yet. */
    if (!catalogue_long())
        SKIP("part of the long tests");
    a = homes_open("a");
    b = homes_open("b");
    fill(a, 0);
    fill(b, 100);
    quire_close(a);
    quire_close(b);
    for (us = 500; us < 60000; us += us / 3)
        kill_sync("a", "b", us);
    a = homes_open("a");
    homes_sync(a, "b");
    b = homes_open("b");
    SAME_TEXT(homes_content(a), homes_content(b));
    quire_close(a);
    quire_close(b);
    catalogue_sound_in("a");
    catalogue_sound_in("b");
}

/* ---- a peer of our own -------------------------------------------------------- */

struct script {
    struct buf out; /* what the peer sends */
    size_t at;
};

static quire_status read_script(void *ctx, void *buf, size_t cap, size_t *n,
                                quire_error *err)
{
    struct script *s = ctx;

    (void)err;
    *n = s->out.len - s->at < cap ? s->out.len - s->at : cap;
    memcpy(buf, s->out.data + s->at, *n);
    s->at += *n;
    return QUIRE_OK;
}

static quire_status write_script(void *ctx, quire_bytes bytes, quire_error *err)
{
    struct script *s = ctx;

    (void)err;
    buf_add(&s->out, bytes.data, bytes.len);
    return QUIRE_OK;
}

static quire_status swallow(void *ctx, quire_bytes bytes, quire_error *err)
{
    (void)ctx, (void)bytes, (void)err;
    return QUIRE_OK;
}

/* A caller that greets, wants nothing, and sends these records: each begins with a
 * type and ends with a line break. */
static quire_status send_records(const char *records)
{
    struct script s = {.out = BUF_INIT(1 << 22)};
    struct wire_config config = {NULL, write_script, &s, "sync"};
    quire_sync_options o = QUIRE_SYNC_OPTIONS_INIT;
    char zeros[16 * 8] = {0};
    quire *q = homes_open("b");
    quire_error err = {0};
    struct wire *w;
    quire_status st;

    OK(wire_new(&config, &w, &test_err));
    OK(wire_send(w, WIRE_HELLO, bytes_str("{\"protocol\":1,\"buckets\":16}"),
                 &test_err));
    OK(wire_send(w, WIRE_BUCKETS, bytes_of(zeros, sizeof zeros), &test_err));
    OK(wire_send(w, WIRE_TURN, bytes_str(""), &test_err));
    OK(wire_send(w, WIRE_TURN, bytes_str(""), &test_err));
    for (; *records; records = strchr(records, '\n') + 1)
        OK(wire_send(w, (enum wire_type) * records,
                     bytes_of(records + 1, strcspn(records + 1, "\n")),
                     &test_err));
    OK(wire_send(w, WIRE_TURN, bytes_str(""), &test_err));
    OK(wire_flush(w, true, &test_err));
    wire_free(w);
    o.read = read_script;
    o.write = swallow;
    o.ctx = &s;
    st = quire_sync_serve(q, &o, NULL, &err);
    quire_close(q);
    buf_release(&s.out);
    return st;
}

#define HEADER                                                      \
    "\"header\":{\"type\":\"session\",\"version\":3,\"id\":\"s1\"," \
    "\"timestamp\":\"2026-01-01T00:00:00.000Z\",\"cwd\":\"/srv/demo\"}"

TEST(records_of_a_hostile_peer_are_refused_and_write_nothing)
{
    static const char *const bad[] = {
        "R{\"kind\":\"session\",\"id\":\"../../x\",\"whole\":true," HEADER
        "}\nE\n",
        "R{\"kind\":\"session\",\"id\":\"user\",\"whole\":true," HEADER
        "}\nE\n",
        "R{\"kind\":\"session\",\"id\":\"s2\",\"whole\":true," HEADER "}\nE\n",
        "R{\"kind\":\"session\",\"id\":\"s1\"," HEADER "}\nE\n",
        "R{\"kind\":\"session\",\"id\":\"s1\",\"whole\":true}\nE\n",
        "R{\"kind\":\"session\",\"id\":\"s1\",\"whole\":true," HEADER
        "}\nCnonsense\nE\n",
        "R{\"kind\":\"session\",\"id\":\"s1\",\"whole\":true," HEADER
        "}\nCL\x05{\"a\":\nE\n",
        "R{\"kind\":\"session\",\"id\":\"s1\",\"whole\":true," HEADER "}\n",
        "R{\"kind\":\"blob\",\"sha256\":\"00\",\"size\":1}\nE\n",
        "R{\"kind\":\"blob\",\"sha256\":\""
        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\","
        "\"size\":3}\nCabc\nE\n",
        "R{\"kind\":\"blob\",\"sha256\":\""
        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\","
        "\"size\":2}\nCabc\nE\n",
        "R{\"kind\":\"output\",\"session\":\"s1\",\"name\":\"../x.log\","
        "\"sha256\":\""
        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\","
        "\"size\":3}\nCabc\nE\n",
        "R{\"kind\":\"artifact\",\"session\":\"s1\",\"path\":\"../x\"}\n",
        "R{\"kind\":\"memory\",\"uid\":\"zz\"}\n",
        "R{\"kind\":\"walrus\"}\n",
        "R[]\n",
        "Cabc\n",
    };
    size_t i;

    for (i = 0; i < sizeof bad / sizeof *bad; i++) {
        if (!send_records(bad[i]))
            SAME_TEXT("refused", bad[i]);
        EQ(0, test_count_files(test_path("b/sessions")));
    }
    OK(send_records(""));
    OK(send_records(
        "R{\"kind\":\"session\",\"id\":\"s1\",\"whole\":true," HEADER
        "}\nE\n"));
    EQ(1, test_count_files(test_path("b/sessions")));
}

TEST(a_damaged_stream_is_an_error_and_never_a_crash)
{
    quire *a = homes_open("a");
    struct script s = {.out = BUF_INIT(1 << 22)}, bad;
    struct wire_config config = {NULL, write_script, &s, "sync"};
    quire_sync_options o = QUIRE_SYNC_OPTIONS_INIT;
    quire_error err = {0};
    struct wire *w;
    size_t i;

    fill(a, 0);
    OK(wire_new(&config, &w, &test_err));
    OK(wire_send(w, WIRE_HELLO, bytes_str("{\"protocol\":1,\"buckets\":16}"),
                 &test_err));
    OK(wire_send(w, WIRE_TURN, bytes_str(""), &test_err));
    OK(wire_flush(w, true, &test_err));
    wire_free(w);
    o.read = read_script;
    o.write = swallow;
    for (i = 0; i < s.out.len * 8; i++) {
        bad = (struct script){.out = BUF_INIT(1 << 22)};
        buf_add(&bad.out, s.out.data, s.out.len);
        bad.out.data[i / 8] = (char)(bad.out.data[i / 8] ^ 1 << i % 8);
        o.ctx = &bad;
        YES(quire_sync_serve(a, &o, NULL, &err) != QUIRE_OK);
        buf_release(&bad.out);
    }
    buf_release(&s.out);
    quire_close(a);
}
