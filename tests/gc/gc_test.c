/*
 * What a collection must take for a reference, what it must refuse, and what a
 * long life of putting and removing comes to.
 */
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

#include "base/bytes.h"
#include "support/catalog.h"
#include "support/gc.h"
#include "support/slow.h"
#include "support/tenants.h"

static void make_dirs(const char *path)
{
    char copy[4096], *slash;

    snprintf(copy, sizeof copy, "%s", path);
    for (slash = strchr(copy + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(copy, 0700);
        *slash = '/';
    }
}

static quire *begin(quire_kind kind)
{
    collect_clock_start();
    mkdir(test_path("home"), 0700);
    if (kind == QUIRE_KIND_JP)
        mkdir(test_path("home/conversations"), 0700);
    return collect_open(kind);
}

static void put(quire *q, int n)
{
    OK(quire_blob_put(q, collect_content(n), 0, NULL, &test_err));
}

static bool there(quire *q, int n)
{
    quire_blob_info info;

    return !quire_blob_stat(q, collect_digest(n), &info, NULL);
}

static void later(int64_t s)
{
    collect_now_us += s * 1000000;
}

/* Long enough that whatever is not referred to goes. */
static quire_status sweep(quire *q)
{
    quire_status st = QUIRE_OK;
    int i;

    for (i = 0; !st && i < 3; i++) {
        later(200000);
        st = collect_run(q, 0, 86400, NULL);
    }
    return st;
}

/* A file of the home, or beside it, with these words. */
static void write_text(const char *name, const char *text)
{
    make_dirs(test_path(name));
    test_write_file(test_path(name), bytes_str(text));
}

static void write_ref(const char *name, int n)
{
    char text[200];

    snprintf(text, sizeof text, "{\"x\":\"%s\"}\n", collect_ref(n));
    write_text(name, text);
}

static void end(quire *q)
{
    quire_close(q);
    collect_clock_stop();
}

/* ---- what refers -------------------------------------------------------- */

static const char *const session_files[] = {
    "home/sessions/-w/2026-02-16T10-20-30-000Z_a.jsonl",
    "home/sessions/-w/2026-02-16T10-20-30-000Z_a.jsonl.7f3a.bak",
    "home/sessions/-w/.2026-02-16T10-20-30-000Z_a.jsonl.7f3a.tmp",
    "home/sessions/-w/2026-02-16T10-20-30-000Z_a/0-Explore.jsonl",
    "home/sessions/-w/2026-02-16T10-20-30-000Z_a/0-Explore/1-Deep.jsonl",
    "home/sessions/-w/7.jsonl",
    "home/sessions/-w/12.3.jsonl",
    "home/sessions/loose.jsonl",
    "home/sessions/-w/of a later version",
    "home/archive/sessions/-w/b.jsonl",
    "home/archive/sessions/-w/b/2-Sub.jsonl",
    "home/archive/c.jsonl",
};
enum { N_SESSION_FILES = sizeof session_files / sizeof *session_files };

static void keeps_what_sessions_mention(quire_kind kind)
{
    quire *q = begin(kind);
    int i;

    for (i = 0; i < N_SESSION_FILES; i++) {
        put(q, i);
        write_ref(session_files[i], i);
    }
    put(q, 50);
    OK(sweep(q));
    for (i = 0; i < N_SESSION_FILES; i++) {
        if (!there(q, i))
            fprintf(stderr, "%s was not seen\n", session_files[i]);
        YES(there(q, i));
    }
    NO(there(q, 50));
    end(q);
}

TEST(collect_keeps_what_any_file_of_sessions_mentions)
{
    keeps_what_sessions_mention(QUIRE_KIND_NATIVE);
}

TEST(collect_keeps_what_any_file_of_an_omp_home_mentions)
{
    keeps_what_sessions_mention(QUIRE_KIND_OMP);
}

/* oh-my-pi packs sessions that nobody used for a month. */
TEST(collect_keeps_what_packed_sessions_mention)
{
    quire *q = begin(QUIRE_KIND_OMP);
    const char *path = test_path("home/archive/-w/old.jsonl.gz");
    char text[8192];
    gzFile f;

    put(q, 1);
    put(q, 2);
    put(q, 3);
    make_dirs(path);
    test_prose(1, text, sizeof text);
    f = gzopen(path, "w");
    gzwrite(f, text, sizeof text);
    gzprintf(f, "{\"data\":\"%s\"}\n", collect_ref(1));
    gzclose(f);
    f = gzopen(path, "a"); /* a second member */
    gzprintf(f, "{\"data\":\"%s\"}\n", collect_ref(2));
    gzclose(f);
    write_ref("home/sessions/-w/a.jsonl", 0);
    OK(sweep(q));
    YES(there(q, 1));
    YES(there(q, 2));
    NO(there(q, 3));
    end(q);
}

/* One that cannot be unpacked could say anything. */
TEST(collect_stops_at_a_packed_session_that_is_damaged)
{
    quire *q = begin(QUIRE_KIND_OMP);

    put(q, 1);
    write_text("home/archive/-w/old.jsonl.gz", "\x1f\x8b\x08 no more");
    later(200000);
    YES(collect_run(q, 0, 0, NULL) != QUIRE_OK);
    HAS(test_err.what, "old.jsonl.gz");
    YES(test_err.next[0]);
    YES(there(q, 1));
    end(q);
}

static const char *const conversation_files[] = {
    "home/conversations/17780000011-a/events.json",
    "home/conversations/17780000011-a/base_config.json",
    "home/conversations/17780000011-a/messages.json",
    "home/conversations/17780000011-a/of a later version.cbor",
    "home/conversations/.archive/17780000012/events.json",
    "home/conversations/.trash/17780000013-b/events.json",
    "home/conversations/.trash/17780000013-b/TRASHED.md",
    "home/conversations/12.log",
    "home/conversations/17780000014/events.json.tmp",
};

TEST(collect_keeps_what_any_file_of_conversations_mentions)
{
    int i, n = sizeof conversation_files / sizeof *conversation_files;
    quire *q = begin(QUIRE_KIND_JP);
    char text[200];

    for (i = 0; i < n; i++) {
        put(q, i);
        snprintf(text, sizeof text, "torn { \"$blob\"\t:\n\"%s\", \"size\": 1",
                 collect_ref(i) + 12);
        write_text(conversation_files[i], text);
    }
    put(q, 50);
    OK(sweep(q));
    for (i = 0; i < n; i++) {
        if (!there(q, i))
            fprintf(stderr, "%s was not seen\n", conversation_files[i]);
        YES(there(q, i));
    }
    NO(there(q, 50));
    NO(test_exists(catalogue_file()));
    end(q);
}

TEST(collect_keeps_what_tenants_mention)
{
    quire *q = begin(QUIRE_KIND_NATIVE), *t;
    char token[QUIRE_TOKEN_SIZE], path[4096];
    const char *away;

    OK(quire_tenant_add(q, "other", token, NULL, &test_err));
    t = collect_open_as(QUIRE_KIND_NATIVE, "other", NULL, 0);
    OK(collect_session(t, 1, path));
    OK(collect_session(t, 2, path));
    OK(quire_session_archive(t, path, &away, &test_err));
    OK(quire_artifact_put(t, NULL, "a", collect_content(3), NULL, NULL,
                          &test_err));
    put(q, 4);
    OK(sweep(q));
    YES(there(q, 1) && there(q, 2) && there(q, 3));
    NO(there(q, 4));
    IS(QUIRE_INVALID, collect_run(t, 0, 0, NULL));
    quire_close(t);
    OK(quire_tenant_remove(q, "other", 1, &test_err));
    OK(sweep(q));
    NO(there(q, 1) || there(q, 2) || there(q, 3));
    end(q);
}

TEST(collect_keeps_what_artifacts_had)
{
    quire *q = begin(QUIRE_KIND_NATIVE);
    int i;

    for (i = 0; i < 3; i++)
        OK(quire_artifact_put(q, NULL, "a", collect_content(i), NULL, NULL,
                              &test_err));
    OK(quire_artifact_put(q, NULL, "away", collect_content(4), NULL, NULL,
                          &test_err));
    OK(quire_artifact_remove(q, NULL, "away", 0, &test_err));
    put(q, 5);
    OK(quire_blob_pin(q, collect_digest(5), &test_err));
    OK(sweep(q));
    for (i = 0; i < 3; i++)
        YES(there(q, i));
    YES(there(q, 4) && there(q, 5));
    OK(quire_artifact_restore(q, NULL, "away", NULL, &test_err));
    OK(quire_artifact_remove(q, NULL, "away", 0, &test_err));
    OK(quire_config_set(q, "versions.kept", "1", &test_err));
    OK(quire_blob_unpin(q, collect_digest(5), &test_err));
    later((int64_t)86400 * 400); /* longer than gc.purge */
    OK(sweep(q));
    NO(there(q, 0));
    YES(there(q, 2));
    NO(there(q, 4) || there(q, 5));
    collect_sound(QUIRE_KIND_NATIVE, "artifacts");
    end(q);
}

/* A session that has no file yet, with an image. */
TEST(collect_waits_for_sessions_that_are_not_written_yet)
{
    static const char answer[] = "{\"type\":\"message\",\"message\":{\"role\":"
                                 "\"assistant\",\"content\":[]}}";
    quire *q = begin(QUIRE_KIND_NATIVE);
    quire *other = collect_open(QUIRE_KIND_NATIVE);
    quire_session *s;
    struct collect_set wanted, stored;

    OK(quire_session_new(q, NULL, &s, &test_err));
    OK(collect_append(s, 1));
    OK(collect_append(s, 2));
    sweep(other); /* QUIRE_BUSY is right, too */
    OK(quire_session_append(s, bytes_str(answer), NULL, NULL, &test_err));
    wanted = collect_wanted(QUIRE_KIND_NATIVE);
    stored = collect_stored(other);
    YES(wanted.has[1] && wanted.has[2]);
    YES(stored.has[1] && stored.has[2]);
    quire_session_close(s);
    quire_close(other);
    end(q);
}

/* ---- what is refused ---------------------------------------------------- */

/* Nothing goes while something cannot be seen, and the words name it. */
static void refuses(quire *q, const char *name)
{
    quire_collect_report r;

    later(200000);
    test_err = (quire_error){0};
    YES(collect_run(q, 0, 0, &r) != QUIRE_OK);
    EQ(0, r.removed);
    HAS(test_err.what, name);
    YES(test_err.next[0]);
    YES(there(q, 1));
}

static void link_instead(const char *name)
{
    char away[4096];

    make_dirs(test_path(name));
    snprintf(away, sizeof away, "%s", test_path("elsewhere"));
    if (!rename(test_path(name), away))
        EQ(0, symlink(away, test_path(name)));
}

/* Somebody moved a directory to another disk and left a link. */
static void refuses_a_link(quire_kind kind, const char *name, const char *file)
{
    quire *q = begin(kind);

    put(q, 1);
    write_ref(file, 1);
    link_instead(name);
    refuses(q, strrchr(name, '/') + 1);
    end(q);
}

TEST(collect_refuses_links_among_sessions)
{
    refuses_a_link(QUIRE_KIND_NATIVE, "home/sessions/-w", "home/sessions/-w/a");
    test_forget_dir();
    refuses_a_link(QUIRE_KIND_NATIVE, "home/sessions/-w/a",
                   "home/sessions/-w/a");
    test_forget_dir();
    refuses_a_link(QUIRE_KIND_OMP, "home/sessions", "home/sessions/-w/a.jsonl");
    test_forget_dir();
    refuses_a_link(QUIRE_KIND_NATIVE, "home/sessions",
                   "home/sessions/-w/a.jsonl");
    test_forget_dir();
    refuses_a_link(QUIRE_KIND_NATIVE, "home/archive",
                   "home/archive/sessions/-w/a.jsonl");
    test_forget_dir();
    refuses_a_link(QUIRE_KIND_JP, "home/conversations/.archive",
                   "home/conversations/.archive/1/events.json");
    test_forget_dir();
    refuses_a_link(QUIRE_KIND_JP, "home/conversations/1/events.json",
                   "home/conversations/1/events.json");
}

TEST(collect_refuses_links_among_tenants)
{
    refuses_a_link(QUIRE_KIND_NATIVE, "home/tenants/2/sessions/-w",
                   "home/tenants/2/sessions/-w/a.jsonl");
    test_forget_dir();
    refuses_a_link(QUIRE_KIND_NATIVE, "home/tenants/2/sessions",
                   "home/tenants/2/sessions/-w/a.jsonl");
    test_forget_dir();
    refuses_a_link(QUIRE_KIND_NATIVE, "home/tenants/2/archive",
                   "home/tenants/2/archive/sessions/-w/a.jsonl");
    test_forget_dir();
    refuses_a_link(QUIRE_KIND_NATIVE, "home/tenants/2",
                   "home/tenants/2/sessions/-w/a.jsonl");
    test_forget_dir();
    refuses_a_link(QUIRE_KIND_NATIVE, "home/tenants",
                   "home/tenants/2/sessions/-w/a.jsonl");
}

static void refuses_instead(const char *name, int (*make)(const char *path))
{
    quire *q = begin(QUIRE_KIND_NATIVE);

    put(q, 1);
    make_dirs(test_path(name));
    EQ(0, make(test_path(name)));
    refuses(q, strrchr(name, '/') + 1);
    end(q);
    test_forget_dir();
}

static int make_fifo(const char *path)
{
    return mkfifo(path, 0600);
}

static int make_file(const char *path)
{
    test_write_file(path, bytes_str("?"));
    return 0;
}

TEST(collect_refuses_what_is_no_file_and_no_directory)
{
    refuses_instead("home/sessions/-w/a.jsonl", make_fifo);
    refuses_instead("home/sessions/-w", make_fifo);
    refuses_instead("home/sessions", make_fifo);
    refuses_instead("home/sessions", make_file);
    refuses_instead("home/archive", make_file);
    refuses_instead("home/tenants", make_file);
    refuses_instead("home/tenants/2/sessions", make_file);
}

/* As somebody who may not look, in another process. */
static int closed_to(const char *name)
{
    int pid, code = 0;

    chmod(test_path(name), 0);
    fflush(NULL);
    pid = fork();
    if (pid == 0) {
        quire *q;
        quire_status st;

        if (getuid() == 0 && (setegid(65534) || seteuid(65534)))
            _exit(9);
        q = collect_open_as(QUIRE_KIND_NATIVE, NULL, NULL, 0);
        st = q ? collect_run(q, 0, 0, NULL) : QUIRE_OK;
        _exit(st && strstr(test_err.what, strrchr(name, '/') + 1) ? 0 : 1);
    }
    waitpid(pid, &code, 0);
    chmod(test_path(name), 0777);
    return code;
}

static int open_to_all(const char *path, const struct stat *s, int type,
                       struct FTW *ftw)
{
    (void)s;
    (void)type;
    (void)ftw;
    return chmod(path, 0777);
}

TEST(collect_stops_where_it_may_not_look)
{
    quire *q = begin(QUIRE_KIND_NATIVE);

    put(q, 1);
    write_ref("home/sessions/-w/a.jsonl", 1);
    write_ref("home/archive/sessions/-w/b.jsonl", 1);
    later(200000);
    OK(collect_run(q, 0, 86400, NULL));
    nftw(test_dir(), open_to_all, 16, FTW_PHYS);
    EQ(0, closed_to("home/sessions/-w/a.jsonl"));
    EQ(0, closed_to("home/sessions/-w"));
    EQ(0, closed_to("home/sessions"));
    EQ(0, closed_to("home/archive"));
    YES(there(q, 1));
    end(q);
}

TEST(collect_more_than_half_needs_a_word)
{
    quire *q = begin(QUIRE_KIND_NATIVE);
    quire_collect_options o = QUIRE_COLLECT_OPTIONS_INIT;
    quire_collect_report r;
    char path[4096];

    OK(collect_session(q, 0, path));
    put(q, 1);
    put(q, 2);
    later(10);
    o.grace_s = 0;
    OK(quire_collect(q, &o, &r, &test_err));
    YES(r.refused);
    EQ(0, r.removed);
    YES(there(q, 1) && there(q, 2));
    OK(collect_append_to(q, path, 3));
    later(10);
    OK(quire_collect(q, &o, &r, &test_err));
    NO(r.refused);
    EQ(2, r.removed);
    end(q);
}

/* ---- roots -------------------------------------------------------------- */

TEST(collect_roots_refer)
{
    quire *q = begin(QUIRE_KIND_NATIVE);
    int i;

    for (i = 1; i < 6; i++)
        put(q, i);
    write_ref("out/a.jsonl", 1);
    write_ref("out/12.bash.log", 2);
    write_ref("out/deep/b.md", 3);
    write_ref("file/c.jsonl", 4);
    write_ref("out/a/b/c/d/e/f/g/h/i/j/k/l.jsonl", 5);
    OK(quire_root_add(q, test_path("out"), &test_err));
    OK(quire_root_add(q, test_path("file/c.jsonl"), &test_err));
    put(q, 6);
    /* Either all of it is seen, or it is refused. */
    if (sweep(q)) {
        YES(there(q, 6));
        unlink(test_path("out/a/b/c/d/e/f/g/h/i/j/k/l.jsonl"));
        catalogue_copy(test_path("out/deep"), test_path("out/a"));
        OK(sweep(q));
    } else {
        YES(there(q, 5));
    }
    for (i = 1; i < 5; i++)
        YES(there(q, i));
    NO(there(q, 6));
    OK(quire_root_drop(q, test_path("file/c.jsonl"), &test_err));
    OK(sweep(q));
    NO(there(q, 4));
    end(q);
}

/* One root in another, and a file of one that is a root itself. */
TEST(collect_roots_may_overlap)
{
    quire *q = begin(QUIRE_KIND_NATIVE);

    put(q, 1);
    put(q, 2);
    write_ref("out/a.jsonl", 1);
    write_ref("out/deep/b.jsonl", 2);
    OK(quire_root_add(q, test_path("out/a.jsonl"), &test_err));
    OK(quire_root_add(q, test_path("out"), &test_err));
    OK(quire_root_add(q, test_path("out/deep"), &test_err));
    OK(sweep(q));
    YES(there(q, 1) && there(q, 2));
    OK(quire_root_drop(q, test_path("out"), &test_err));
    OK(sweep(q));
    YES(there(q, 1) && there(q, 2));
    OK(quire_root_drop(q, test_path("out/a.jsonl"), &test_err));
    OK(sweep(q));
    NO(there(q, 1));
    collect_sound(QUIRE_KIND_NATIVE, "overlapping roots");
    end(q);
}

TEST(collect_roots_that_are_missing_stop_it)
{
    quire *q = begin(QUIRE_KIND_NATIVE);

    put(q, 1);
    write_ref("out/a.jsonl", 1);
    OK(quire_root_add(q, test_path("out"), &test_err));
    OK(sweep(q));
    EQ(0, rename(test_path("out"), test_path("unmounted")));
    refuses(q, "out");
    /* The place where it was mounted is there, and empty. */
    mkdir(test_path("out"), 0700);
    refuses(q, "out");
    rmdir(test_path("out"));
    EQ(0, rename(test_path("unmounted"), test_path("out")));
    OK(sweep(q));
    YES(there(q, 1));
    EQ(0, rename(test_path("out"), test_path("unmounted")));
    OK(quire_root_drop(q, test_path("out"), &test_err));
    OK(sweep(q));
    NO(there(q, 1));
    end(q);
}

TEST(collect_remembers_sessions_outside)
{
    quire *q = begin(QUIRE_KIND_NATIVE);
    char path[4096];
    FILE *f;

    make_dirs(test_path("out/x.jsonl"));
    collect_foreign(QUIRE_KIND_NATIVE, "s", 1, -1);
    EQ(0, rename(test_path(collect_path(QUIRE_KIND_NATIVE, "s")),
                 test_path("out/x.jsonl")));
    snprintf(path, sizeof path, "%s", test_path("out/x.jsonl"));
    OK(collect_append_to(q, path, 2));
    OK(sweep(q));
    YES(there(q, 2));
    f = fopen(path, "r");
    YES(f != NULL);
    fclose(f);
    end(q);
}

/* ---- files that change -------------------------------------------------- */

/* In place, a reference for another, and a line more: what was its end is as it
 * was. */
TEST(collect_sees_a_file_that_was_changed_and_has_grown)
{
    quire *q = begin(QUIRE_KIND_NATIVE);
    char text[4000];
    int n;

    put(q, 1);
    put(q, 2);
    n = snprintf(text, sizeof text, "{\"x\":\"%s\"}\n%02000d\n", collect_ref(1),
                 7);
    write_text("home/sessions/-w/a.jsonl", text);
    usleep(30000);
    OK(collect_run(q, 0, 86400, NULL));
    memcpy(strstr(text, "blob:"), collect_ref(2), strlen(collect_ref(2)));
    snprintf(text + n, sizeof text - (size_t)n, "{\"type\":\"one more\"}\n");
    write_text("home/sessions/-w/a.jsonl", text);
    usleep(30000);
    OK(sweep(q));
    YES(there(q, 2));
    end(q);
}

/* ---- the clock ---------------------------------------------------------- */

static struct {
    quire *other;
    long n, at;
    int64_t now_us;
    quire_status status;
    bool done;
} back;

/* Somebody whose clock is behind refers to what is dying. */
static void step_back(const char *name)
{
    int64_t was_us = collect_now_us;
    char path[4096];

    (void)name;
    if (back.done || ++back.n < back.at)
        return;
    back.done = true;
    collect_now_us = back.now_us;
    back.status = collect_session(back.other, 1, path);
    collect_now_us = was_us;
}

TEST(collect_survives_a_clock_that_goes_back)
{
    quire_kind kinds[] = {QUIRE_KIND_NATIVE, QUIRE_KIND_OMP};
    bool more = true;
    quire *q;
    int i;

    for (i = 0; i < 2; i++) {
        for (back.at = 1, more = true; more; back.at += 3) {
            q = begin(kinds[i]);
            put(q, 1);
            back.now_us = collect_now_us - INT64_C(7200) * 1000000;
            later(10);
            back.other = collect_open(kinds[i]);
            back.n = 0;
            back.done = false;
            stop_each(step_back);
            OK(collect_run(q, 0, 0, NULL));
            stop_each(NULL);
            more = back.done;
            if (more && !back.status)
                collect_sound(kinds[i], "a clock behind");
            quire_close(back.other);
            end(q);
            test_forget_dir();
        }
    }
}

/* ---- the ledger --------------------------------------------------------- */

static void wreck(const char *sql)
{
    quire *q = begin(QUIRE_KIND_NATIVE);
    char path[4096];
    int i;

    for (i = 0; i < 6; i++)
        OK(collect_session(q, i, path));
    put(q, 10);
    OK(quire_session_remove(q, path, &test_err));
    OK(quire_artifact_put(q, NULL, "a", collect_content(11), NULL, NULL,
                          &test_err));
    OK(collect_run(q, 0, 86400, NULL));
    tenants_sql(sql);
    quire_close(q);
    q = collect_open(QUIRE_KIND_NATIVE);
    collect_run(q, QUIRE_COLLECT_FULL, 86400, NULL);
    for (i = 0; i < 3; i++) {
        later(200000);
        OK(collect_run(q, QUIRE_COLLECT_FULL, 86400, NULL));
    }
    for (i = 0; i < 5; i++)
        YES(there(q, i));
    YES(there(q, 11));
    NO(there(q, 5) || there(q, 10));
    collect_sound(QUIRE_KIND_NATIVE, sql);
    end(q);
    test_forget_dir();
}

/* With --full nothing that was noted is believed. */
TEST(collect_full_makes_a_damaged_ledger_again)
{
    wreck("DELETE FROM source");
    wreck("DELETE FROM mentioned");
    wreck("DELETE FROM held");
    wreck("DELETE FROM held; DELETE FROM source; DELETE FROM doomed");
    wreck("DELETE FROM collection");
    wreck("UPDATE mentioned SET keys = x''");
    wreck("UPDATE mentioned SET keys = x'010203'");
    wreck("UPDATE mentioned SET keys = randomblob(80)");
    wreck("UPDATE held SET counts = x'00'");
    wreck("UPDATE held SET counts = randomblob(24)");
    wreck("DELETE FROM doomed");
    wreck("UPDATE doomed SET since = 0, sha256 = randomblob(32)");
    wreck("UPDATE doomed SET sha256 = randomblob(3)");
    wreck("UPDATE collection SET value = value + 1000 WHERE number = 1");
    wreck("UPDATE source SET size = size + 1");
    wreck("INSERT INTO collection VALUES(0, 1) ON CONFLICT(number) DO UPDATE "
          "SET value = 1");
}

static void wipe(const char *sql)
{
    quire *q = begin(QUIRE_KIND_NATIVE);
    char path[4096];
    int i;

    for (i = 0; i < 6; i++)
        OK(collect_session(q, i, path));
    put(q, 10);
    OK(collect_run(q, 0, 86400, NULL));
    tenants_sql(sql);
    OK(sweep(q));
    for (i = 0; i < 6; i++)
        YES(there(q, i));
    NO(there(q, 10));
    collect_sound(QUIRE_KIND_NATIVE, sql);
    end(q);
    test_forget_dir();
}

TEST(collect_makes_a_wiped_ledger_again)
{
    wipe("DELETE FROM source; DELETE FROM mentioned; DELETE FROM held; DELETE "
         "FROM doomed; DELETE FROM collection");
    wipe("DELETE FROM source; DELETE FROM held; DELETE FROM collection");
    wipe("DELETE FROM held");
    wipe("UPDATE held SET counts = zeroblob(24)");
}

/* The number of the last row is given again when that is removed. */
TEST(collect_judges_rows_whose_numbers_are_used_again)
{
    quire *q = begin(QUIRE_KIND_NATIVE);
    int i;

    for (i = 0; i < 20; i++) {
        put(q, i);
        later(1000);
        OK(collect_run(q, 0, 0, NULL));
        NO(there(q, i));
        put(q, i + 20);
        put(q, i);
        OK(collect_run(q, 0, 86400, NULL));
        OK(sweep(q));
        NO(there(q, i) || there(q, i + 20));
    }
    end(q);
}

/* ---- dry runs, and long lives ------------------------------------------- */

enum { SESSIONS = 6, CONTENTS = 24 };

struct life {
    quire_kind kind;
    quire *q;
    uint64_t seed;
    char path[SESSIONS][4096]; /* "": there is none */
    bool away[SESSIONS];
    bool has[SESSIONS][CONTENTS];
    bool pinned[CONTENTS];
    int64_t put_us[CONTENTS];  /* when it was last put, 0: never            */
    int64_t held_us[CONTENTS]; /* when a collection last saw it referred to  */
};

static int pick(struct life *l, int below)
{
    return (int)slow_random(&l->seed, (uint64_t)below);
}

static void live_append(struct life *l, int i, int n)
{
    if (!*l->path[i])
        OK(collect_session(l->q, n, l->path[i]));
    else if (!l->away[i])
        OK(collect_append_to(l->q, l->path[i], n));
    else
        return;
    l->has[i][n] = true;
    l->put_us[n] = collect_now_us;
}

static void live_fork(struct life *l, int from, int to)
{
    quire_session_info info;
    quire_session *s;

    if (!*l->path[from] || *l->path[to])
        return;
    OK(quire_session_fork(l->q, l->path[from], NULL, &s, &test_err));
    quire_session_describe(s, &info);
    snprintf(l->path[to], sizeof l->path[to], "%s", info.path);
    quire_session_close(s);
    memcpy(l->has[to], l->has[from], sizeof l->has[to]);
    l->away[to] = false;
}

static void live_remove(struct life *l, int i)
{
    if (!*l->path[i])
        return;
    OK(quire_session_remove(l->q, l->path[i], &test_err));
    *l->path[i] = '\0';
    l->away[i] = false;
    memset(l->has[i], 0, sizeof l->has[i]);
}

static void live_put_away(struct life *l, int i)
{
    const char *path;

    if (!*l->path[i])
        return;
    OK((l->away[i]
            ? quire_session_unarchive
            : quire_session_archive)(l->q, l->path[i], &path, &test_err));
    snprintf(l->path[i], sizeof l->path[i], "%s", path);
    l->away[i] = !l->away[i];
}

static void live_pin(struct life *l, int n)
{
    if (l->pinned[n])
        OK(quire_blob_unpin(l->q, collect_digest(n), &test_err));
    else if (quire_blob_pin(l->q, collect_digest(n), &test_err))
        return;
    else
        l->put_us[n] = collect_now_us;
    l->pinned[n] = !l->pinned[n];
}

static bool is_held(const struct life *l, int n)
{
    bool held = l->pinned[n];
    int i;

    for (i = 0; i < SESSIONS; i++)
        held |= l->has[i][n];
    return held;
}

enum { GRACE = 5000 };

/* What would go is what goes, and it was time for each. */
static void live_collect(struct life *l)
{
    const char *would = collect_list(l->q, QUIRE_COLLECT_DRY_RUN, GRACE);
    const char *went = collect_list(l->q, 0, GRACE);
    int64_t early_us = collect_now_us - (int64_t)GRACE * 1000000;
    bool timed = l->kind ==
                 QUIRE_KIND_NATIVE; /* files have the system's time */
    int n;

    SAME_TEXT(would, went);
    for (n = 0; n < CONTENTS; n++) {
        bool now = there(l->q, n);

        if (is_held(l, n))
            l->held_us[n] = collect_now_us;

        if (is_held(l, n) || (timed && l->put_us[n] > early_us) ||
            (l->put_us[n] && l->held_us[n] > early_us))
            YES(now || l->put_us[n] == 0);
        if (!now)
            NO(is_held(l, n));
        if (!now)
            l->put_us[n] = l->held_us[n] = 0;
    }
}

static void live_step(struct life *l)
{
    int i = pick(l, SESSIONS), n = pick(l, CONTENTS);

    switch (pick(l, 9)) {
    case 0:
    case 1: live_append(l, i, n); break;
    case 2:
        put(l->q, n);
        l->put_us[n] = collect_now_us;
        break;
    case 3: live_fork(l, i, pick(l, SESSIONS)); break;
    case 4: live_remove(l, i); break;
    case 5: live_put_away(l, i); break;
    case 6: live_pin(l, n); break;
    default: live_collect(l);
    }
    later(pick(l, 3000));
}

static void live(quire_kind kind, uint64_t seed)
{
    struct life *l = test_alloc(sizeof *l);
    char what[64];
    int i;

    memset(l, 0, sizeof *l);
    l->kind = kind;
    l->seed = seed;
    l->q = begin(kind);
    for (i = 0; i < 30; i++)
        live_step(l);
    quire_close(l->q);
    snprintf(what, sizeof what, "life %d", (int)seed);
    collect_sound(kind, what);
    collect_settles(kind, what);
    collect_clock_stop();
    test_forget_dir();
}

TEST(collect_through_many_lives)
{
    int i, n = catalogue_long() ? 2000 : 140;

    for (i = 0; i < n; i++)
        live(QUIRE_KIND_NATIVE, (uint64_t)i * 77 + 1);
}

TEST(collect_through_many_lives_of_an_omp_home)
{
    int i, n = catalogue_long() ? 1000 : 60;

    for (i = 0; i < n; i++)
        live(QUIRE_KIND_OMP, (uint64_t)i * 77 + 5);
}

/* ---- a dry run writes nothing ------------------------------------------- */

static char seen[1 << 16];

static int see(const char *path, const struct stat *s, int type,
               struct FTW *ftw)
{
    (void)type;
    (void)ftw;
    if (S_ISREG(s->st_mode) && !strstr(path, "-shm"))
        snprintf(seen + strlen(seen), sizeof seen - strlen(seen),
                 "%s %lld %lld\n", path, (long long)s->st_size,
                 (long long)s->st_mtim.tv_nsec);
    return 0;
}

static const char *look_at_home(void)
{
    char *copy = test_alloc(sizeof seen);

    *seen = '\0';
    nftw(test_path("home"), see, 16, FTW_PHYS);
    strcpy(copy, seen);
    return copy;
}

static void dry(quire_kind kind, unsigned flags)
{
    quire *q = begin(kind);
    const char *before;

    put(q, 1);
    put(q, 2);
    collect_foreign(kind, "17780000012-f", 1, -1);
    quire_close(q);
    before = look_at_home();
    later(200000);
    q = collect_open_as(kind, NULL, NULL, flags);
    HAS(collect_list(q, QUIRE_COLLECT_DRY_RUN, 0), collect_ref(2));
    HAS(collect_list(q, QUIRE_COLLECT_DRY_RUN | QUIRE_COLLECT_FULL, 0),
        collect_ref(2));
    YES(there(q, 2));
    end(q);
    SAME_TEXT(before, look_at_home());
    test_forget_dir();
}

TEST(collect_dry_runs_write_nothing)
{
    dry(QUIRE_KIND_NATIVE, 0);
    dry(QUIRE_KIND_NATIVE, QUIRE_READ_ONLY);
    dry(QUIRE_KIND_OMP, 0);
    dry(QUIRE_KIND_JP, 0);
    dry(QUIRE_KIND_JP, QUIRE_READ_ONLY);
}
