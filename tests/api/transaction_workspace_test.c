/*
 * The files of workspaces and the groups that change their artifacts: a file
 * follows when its artifact is kept, and no sooner. After a group that was not
 * kept nobody finds anything to do, and what somebody did to a file meanwhile is
 * still his.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/clock.h"
#include "base/fs.h"
#include "support/catalog.h"
#include "support/tenants.h"
#include "support/workspace.h"

static struct tenants_session session;

/* A session with a workspace, and "a" and "gone", which was put away, in it. */
static quire_workspace *furnish(quire *q)
{
    quire_workspace *w;

    session = tenants_session(q, "work");
    w = fixture_open(q, session.id);
    fixture_write(w, "a", "a, once");
    fixture_write(w, "b", "b, once");
    fixture_write(w, "gone", "put away");
    fixture_does(w, "{\"action\":\"delete\",\"filename\":\"gone\"}");
    return w;
}

static void put(quire *q, const char *path, const char *text)
{
    OK(quire_artifact_put(q, session.id, path, bytes_str(text), NULL, NULL,
                          &test_err));
}

static void put_away(quire *q, const char *path)
{
    OK(quire_artifact_remove(q, session.id, path, 0, &test_err));
}

static void begin(quire *q)
{
    OK(quire_group_begin(q, &test_err));
}

/* Keep the group, or not: the disk is full when it is to be. */
static void end(quire *q, bool keep)
{
    if (keep) {
        OK(quire_group_end(q, NULL, &test_err));
        return;
    }
    sqlite_faults(true);
    fault_arm(1, ENOMEM, false);
    YES(quire_group_end(q, NULL, &test_err) != QUIRE_OK);
    fault_disarm();
    sqlite_faults(false);
}

static void is(quire *q, quire_workspace *w, const char *path, const char *text)
{
    if (text) {
        SAME_TEXT(text, fixture_artifact(q, session.id, path));
        SAME_TEXT(text, fixture_file(w, path));
    } else {
        YES(fixture_artifact(q, session.id, path) == NULL);
        YES(fixture_file(w, path) == NULL);
    }
}

/* ---- one thing ---------------------------------------------------------- */

TEST(a_file_follows_when_the_group_is_kept_and_no_sooner)
{
    quire *q = tenants_open(NULL, 0);
    quire_workspace *w = furnish(q);

    begin(q);
    put(q, "a", "a, twice");
    put(q, "n/ew", "new");
    put_away(q, "b");
    OK(quire_artifact_restore(q, session.id, "gone", NULL, &test_err));
    SAME_TEXT("a, once", fixture_file(w, "a"));
    SAME_TEXT("b, once", fixture_file(w, "b"));
    YES(!fixture_file(w, "n/ew") && !fixture_file(w, "gone"));
    end(q, true);
    is(q, w, "a", "a, twice");
    is(q, w, "b", NULL);
    is(q, w, "n/ew", "new");
    is(q, w, "gone", "put away");
    SAME_TEXT("", fixture_sync(w));
    fixture_agrees(q, w);
    quire_workspace_close(w);
    quire_close(q);
    catalogue_sound();
}

TEST(no_file_follows_a_group_that_is_not_kept)
{
    quire *q = tenants_open(NULL, 0);
    quire_workspace *w = furnish(q);
    const char *before = catalogue_dump();

    begin(q);
    put(q, "a", "a, twice");
    put(q, "n/ew", "new");
    put_away(q, "b");
    OK(quire_artifact_restore(q, session.id, "gone", NULL, &test_err));
    end(q, false);
    is(q, w, "a", "a, once");
    is(q, w, "b", "b, once");
    is(q, w, "n/ew", NULL);
    is(q, w, "gone", NULL);
    SAME_TEXT("", fixture_sync(w));
    SAME_TEXT(before, catalogue_dump());
    /* The handle goes on, and files follow it again. */
    put(q, "a", "a, at last");
    is(q, w, "a", "a, at last");
    begin(q);
    put(q, "b", "b, at last");
    end(q, true);
    is(q, w, "b", "b, at last");
    fixture_agrees(q, w);
    quire_workspace_close(w);
    quire_close(q);
    catalogue_sound();
}

/* ---- one after the other ------------------------------------------------- */

/* What is put and goes again in one group. Its file is looked at when it goes,
 * and is still of the time before. */
static void put_and_away(bool keep)
{
    quire *q;
    quire_workspace *w;

    test_forget_dir();
    q = tenants_open(NULL, 0);
    w = furnish(q);
    begin(q);
    put(q, "a", "a, twice");
    put_away(q, "a");
    put(q, "n/ew", "new");
    put_away(q, "n/ew");
    SAME_TEXT("a, once", fixture_file(w, "a"));
    YES(!fixture_file(w, "n/ew"));
    end(q, keep);
    is(q, w, "a", keep ? NULL : "a, once");
    is(q, w, "n/ew", NULL);
    SAME_TEXT("", fixture_sync(w));
    is(q, w, "a", keep ? NULL : "a, once");
    if (keep) {
        OK(quire_artifact_restore(q, session.id, "a", NULL, &test_err));
        is(q, w, "a", "a, twice");
    }
    fixture_agrees(q, w);
    quire_workspace_close(w);
    quire_close(q);
    catalogue_sound();
}

TEST(what_is_put_and_goes_in_one_group_leaves_no_file)
{
    put_and_away(true);
}

TEST(what_is_put_and_goes_in_a_group_that_is_not_kept_is_as_it_was)
{
    put_and_away(false);
}

/* Away and back, and away and put anew. */
static void away_and_back(bool keep)
{
    quire *q;
    quire_workspace *w;

    test_forget_dir();
    q = tenants_open(NULL, 0);
    w = furnish(q);
    begin(q);
    put_away(q, "a");
    OK(quire_artifact_restore(q, session.id, "a", NULL, &test_err));
    put_away(q, "b");
    put(q, "b", "another b");
    end(q, keep);
    is(q, w, "a", "a, once");
    is(q, w, "b", keep ? "another b" : "b, once");
    SAME_TEXT("", fixture_sync(w));
    fixture_agrees(q, w);
    quire_workspace_close(w);
    quire_close(q);
    catalogue_sound();
}

TEST(what_goes_and_comes_back_in_one_group_has_its_file)
{
    away_and_back(true);
    away_and_back(false);
}

/* ---- somebody else ------------------------------------------------------ */

/* He has edited a file before the group, or does while it is open. What he wrote
 * is a version in the end, or still in the file. */
static void edited(bool keep, bool before)
{
    quire *q;
    quire_workspace *w;
    const char *mine = "a, as somebody edited it";

    test_forget_dir();
    q = tenants_open(NULL, 0);
    w = furnish(q);
    if (before)
        fixture_edit(w, "a", mine);
    begin(q);
    put_away(q, "a");
    put(q, "b", "b, twice");
    if (!before)
        fixture_edit(w, "a", mine);
    end(q, keep);
    fixture_sync(w);
    if (!keep) {
        is(q, w, "a", mine);
        is(q, w, "b", "b, once");
    } else if (before) {
        is(q, w, "a", NULL);
        OK(quire_artifact_restore(q, session.id, "a", NULL, &test_err));
        is(q, w, "a", mine);
    } else {
        is(q, w, "a", mine); /* later than the removal: it is back */
    }
    fixture_agrees(q, w);
    quire_workspace_close(w);
    quire_close(q);
    catalogue_sound();
}

TEST(what_somebody_edited_is_not_lost_with_a_group)
{
    edited(true, true);
    edited(false, true);
    edited(true, false);
    edited(false, false);
}

/* He has the workspace while a group wants an artifact of it to go: the group,
 * for which all others wait, does not wait for him. */
TEST(who_has_a_workspace_is_not_waited_for_in_a_group)
{
    quire *q = tenants_open(NULL, 0);
    quire_workspace *w = furnish(q);
    quire_status st;
    char around[4200];
    int dir;

    snprintf(around, sizeof around, "%s/artifacts/sessions/%s",
             test_path("home"), session.id);
    OK(fs_open_dir(around, false, &dir, &test_err));
    OK(fs_lock(dir, FS_EXCLUSIVE, 0, &test_err));
    begin(q);
    tenants_put(q, "other", "kept");
    st = quire_artifact_remove(q, session.id, "a", 0, &test_err);
    IS(QUIRE_BUSY, st);
    YES(test_err.what[0] && test_err.next[0]);
    end(q, true);
    SAME_TEXT("kept", tenants_read(q, "other"));
    is(q, w, "a", "a, once");
    close(dir);
    put_away(q, "a");
    is(q, w, "a", NULL);
    quire_workspace_close(w);
    quire_close(q);
    catalogue_sound();
}

/* Nor when its end has files to give: all of them are answered, and his follow
 * when somebody looks. */
TEST(who_has_a_workspace_is_not_waited_for_when_a_group_ends)
{
    quire *q = tenants_open(NULL, 0);
    quire_workspace *w = furnish(q);
    int64_t began;
    char around[4200], name[16];
    int dir, i;

    snprintf(around, sizeof around, "%s/artifacts/sessions/%s",
             test_path("home"), session.id);
    OK(fs_open_dir(around, false, &dir, &test_err));
    OK(fs_lock(dir, FS_EXCLUSIVE, 0, &test_err));
    begin(q);
    put(q, "a", "a, twice");
    for (i = 0; i < 20; i++) {
        snprintf(name, sizeof name, "new%d", i);
        put(q, name, "new");
    }
    began = clock_steady_us();
    end(q, true);
    YES(clock_steady_us() - began < 2000000);
    close(dir);
    SAME_TEXT("a, once", fixture_file(w, "a"));
    fixture_sync(w);
    is(q, w, "a", "a, twice");
    is(q, w, "new19", "new");
    fixture_agrees(q, w);
    quire_workspace_close(w);
    quire_close(q);
    catalogue_sound();
}

/* ---- several tenants ---------------------------------------------------- */

enum { MANY = 24 }; /* more than a handle has seats */

/* Each with a session that has a workspace, and "a" in it. */
static void furnish_many(struct tenants_session of[MANY])
{
    quire_workspace *w;
    quire *q;
    char name[16];
    int i;

    for (i = 0; i < MANY; i++) {
        snprintf(name, sizeof name, "t%d", i);
        tenants_add(name);
        q = tenants_open(name, 0);
        of[i] = tenants_session(q, name);
        w = fixture_open(q, of[i].id);
        fixture_write(w, "a", "once");
        quire_workspace_close(w);
        quire_close(q);
    }
}

/* Put "a" of each. */
static void put_all(quire *q, const struct tenants_session of[MANY])
{
    char text[16];
    int i;

    for (i = 0; i < MANY; i++) {
        snprintf(text, sizeof text, "#%d", i + 2);
        OK(quire_tenant_use(q, text, &test_err));
        snprintf(text, sizeof text, "of %d", i);
        OK(quire_artifact_put(q, of[i].id, "a", bytes_str(text), NULL, NULL,
                              &test_err));
    }
}

TEST(files_follow_in_every_tenants_workspace)
{
    struct tenants_session of[MANY];
    quire *q;
    int i;

    furnish_many(of);
    q = tenants_open("t3", 0);
    begin(q);
    put_all(q, of);
    OK(quire_tenant_use(q, "t3", &test_err));
    end(q, true);
    tenants_put(q, "whose", "of t3"); /* whom it works for is as it was */
    for (i = 0; i < MANY; i++) {
        char text[16], file[256];

        snprintf(text, sizeof text, "of %d", i);
        snprintf(file, sizeof file,
                 "home/tenants/%d/artifacts/sessions/%s/agent/a", i + 2,
                 of[i].id);
        SAME(bytes_str(text), test_read_file(test_path(file)));
    }
    EQ(5, catalogue_number("SELECT tenant FROM artifact WHERE path = 'whose'"));
    quire_close(q);
    catalogue_sound();
}

/* To follow, the handle works for each of them; whatever fails then, it works
 * afterwards for whom it did, or for nobody. */
TEST(files_that_follow_leave_the_handle_with_its_tenant)
{
    struct tenants_session of[MANY];
    bool struck = true;
    quire *q;
    long n;

    furnish_many(of);
    for (n = 1; struck; n += catalogue_long() ? 1 : 37) {
        q = tenants_open("t3", 0);
        begin(q);
        put_all(q, of);
        OK(quire_tenant_use(q, "t3", &test_err));
        fault_arm(n, ENOMEM, n % 2);
        quire_group_end(q, NULL, &test_err);
        struck = fault_disarm();
        if (!quire_artifact_put(q, NULL, "whose", bytes_str("of t3"), NULL,
                                NULL, &test_err))
            SAME_TEXT("of t3", tenants_read(q, "whose"));
        EQ(0, catalogue_number("SELECT count(*) FROM artifact WHERE path = "
                               "'whose' AND tenant <> 5"));
        quire_close(q);
    }
    catalogue_sound();
}
