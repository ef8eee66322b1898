/*
 * Files and artifacts of a workspace, made to agree: whoever changes which of
 * the two, and in whatever order.
 */
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/fs.h"
#include "workspace/fixture.h"

/* ---- who makes it ------------------------------------------------------- */

TEST(a_workspace_has_no_directory_before_something_is_written)
{
    struct fix f = begin();

    NO(test_exists(quire_workspace_dir(f.w, 0)));
    SAME_TEXT("", fixture_sync(f.w));
    SAME_TEXT("0", fixture_value(fixture_does(f.w, "{\"action\":\"list\"}"),
                                 "count"));
    NO(test_exists(test_path("home/artifacts")));
    puts_text(&f, "a", "before");
    NO(test_exists(test_path("home/artifacts")));
    SAME_TEXT("before", fixture_read(f.w, "a"));
    end(&f);
}

TEST(the_first_write_lays_out_what_there_is)
{
    struct fix f = begin();
    struct stat st;

    puts_text(&f, "old/one.txt", "was there");
    fixture_write(f.w, "new.txt", "is new");
    both(&f, "old/one.txt", "was there");
    both(&f, "new.txt", "is new");
    EQ(0, stat(quire_workspace_dir(f.w, 0), &st));
    EQ(0750, st.st_mode & 07777);
    EQ(0, stat(fixture_path(f.w, 0, "new.txt"), &st));
    EQ(0600, st.st_mode & 07777);
    fixture_agrees(f.q, f.w);
    end(&f);
}

TEST(a_workspace_is_made_with_both_directories)
{
    struct fix f = begin();

    puts_text(&f, "a", "text");
    OK(quire_workspace_make(f.w, &test_err));
    YES(test_exists(quire_workspace_dir(f.w, 1)));
    both(&f, "a", "text");
    OK(quire_workspace_make(f.w, &test_err));
    fixture_agrees(f.q, f.w);
    end(&f);
}

/* ---- files change ------------------------------------------------------- */

TEST(what_is_done_to_files_becomes_artifacts)
{
    struct fix f = begin();

    fixture_write(f.w, "keep", "one");
    fixture_write(f.w, "gone", "two");
    fixture_edit(f.w, "keep", "one, and more");
    fixture_edit(f.w, "new", "three");
    removes(&f, "gone");
    SAME_TEXT("dropped gone, taken keep, taken new, ", fixture_sync(f.w));
    both(&f, "keep", "one, and more");
    both(&f, "new", "three");
    both(&f, "gone", NULL);
    EQ(2, stat_of(&f, "keep").version);
    SAME_TEXT("agent", stat_of(&f, "keep").source);
    SAME_TEXT("user", stat_of(&f, "new").source);
    fixture_agrees(f.q, f.w);
    end(&f);
}

TEST(a_file_that_was_renamed_is_another_artifact)
{
    struct fix f = begin();

    fixture_write(f.w, "a", "text");
    EQ(0, rename(fixture_path(f.w, 0, "a"), fixture_path(f.w, 0, "b")));
    SAME_TEXT("dropped a, taken b, ", fixture_sync(f.w));
    both(&f, "a", NULL);
    both(&f, "b", "text");
    fixture_agrees(f.q, f.w);
    end(&f);
}

/* There is no room for both. */
TEST(a_file_that_was_renamed_needs_no_more_of_the_quota)
{
    struct fix f = begin();

    OK(quire_config_set(f.q, "quota.session", "10", &test_err));
    fixture_write(f.w, "a", "1234567");
    EQ(0, rename(fixture_path(f.w, 0, "a"), fixture_path(f.w, 0, "b")));
    SAME_TEXT("dropped a, taken b, ", fixture_sync(f.w));
    both(&f, "b", "1234567");
    end(&f);
}

TEST(a_file_that_went_and_came_back_keeps_its_past_to_be_restored)
{
    struct fix f = begin();

    fixture_write(f.w, "a", "first");
    removes(&f, "a");
    SAME_TEXT("dropped a, ", fixture_sync(f.w));
    fixture_edit(f.w, "a", "first");
    SAME_TEXT("taken a, ", fixture_sync(f.w));
    both(&f, "a", "first");
    fixture_agrees(f.q, f.w);
    end(&f);
}

TEST(a_change_of_the_same_size_within_one_tick_is_seen)
{
    struct fix f = begin();
    char text[16];
    int i;

    fixture_write(f.w, "a", "0000");
    for (i = 1; i < 20; i++) {
        snprintf(text, sizeof text, "%04d", i);
        fixture_edit(f.w, "a", text);
        SAME_TEXT("taken a, ", fixture_sync(f.w));
        both(&f, "a", text);
    }
    end(&f);
}

TEST(a_change_that_sets_the_old_time_again_is_seen)
{
    struct timespec then[2];
    struct fix f = begin();
    struct stat st;

    fixture_write(f.w, "a", "one");
    usleep(30000);
    fixture_agrees(f.q, f.w);
    EQ(0, stat(fixture_path(f.w, 0, "a"), &st));
    fixture_edit(f.w, "a", "two");
    then[0] = then[1] = st.st_mtim;
    EQ(0, utimensat(AT_FDCWD, fixture_path(f.w, 0, "a"), then, 0));
    SAME_TEXT("taken a, ", fixture_sync(f.w));
    both(&f, "a", "two");
    end(&f);
}

TEST(a_file_that_was_only_touched_is_no_version)
{
    struct fix f = begin();

    fixture_write(f.w, "a", "one");
    EQ(0, utimensat(AT_FDCWD, fixture_path(f.w, 0, "a"), NULL, 0));
    SAME_TEXT("", fixture_sync(f.w));
    EQ(1, stat_of(&f, "a").version);
    end(&f);
}

/* Up to the root, which stays; a directory with anything in it stays, too. */
TEST(a_directory_goes_with_its_last_file)
{
    struct fix f = begin();

    fixture_write(f.w, "a/b/c/tool", "one");
    fixture_write(f.w, "a/b/row", "two");
    fixture_write(f.w, "a/kept/x", "three");
    tool_deletes(&f, "a/b/c/tool");
    NO(test_exists(fixture_path(f.w, 0, "a/b/c")));
    YES(test_exists(fixture_path(f.w, 0, "a/b")));
    puts_away(&f, "a/b/row");
    fixture_sync(f.w);
    NO(test_exists(fixture_path(f.w, 0, "a/b")));
    YES(test_exists(fixture_path(f.w, 0, "a/kept/x")));
    tool_deletes(&f, "a/kept/x");
    NO(test_exists(fixture_path(f.w, 0, "a")));
    YES(test_exists(quire_workspace_dir(f.w, 0)));
    brings_back(&f, "a/b/row");
    fixture_sync(f.w);
    both(&f, "a/b/row", "two");
    fixture_agrees(f.q, f.w);
    end(&f);
}

TEST(a_file_as_deep_as_a_name_may_be_is_an_artifact)
{
    static const char deep[] = "1/2/3/4/5/6/7/8/9/10/11/12/file";
    struct fix f = begin();

    fixture_write(f.w, deep, "down here");
    both(&f, deep, "down here");
    again(&f);
    SAME_TEXT("", fixture_sync(f.w));
    both(&f, deep, "down here");
    fixture_edit(f.w, deep, "changed");
    HAS(fixture_sync(f.w), "taken 1/2/3");
    both(&f, deep, "changed");
    fixture_edit(f.w, "1/2/3/4/5/6/7/8/9/10/other", "beside");
    HAS(fixture_sync(f.w), "taken 1/2/3");
    fixture_agrees(f.q, f.w);
    end(&f);
}

/* ---- artifacts change --------------------------------------------------- */

TEST(what_is_done_to_artifacts_becomes_files)
{
    struct fix f = begin();

    OK(quire_workspace_make(f.w, &test_err));
    puts_text(&f, "dir/a", "one");
    both(&f, "dir/a", "one");
    puts_text(&f, "dir/a", "two");
    both(&f, "dir/a", "two");
    puts_away(&f, "dir/a");
    both(&f, "dir/a", NULL);
    NO(test_exists(fixture_path(f.w, 0, "dir")));
    brings_back(&f, "dir/a");
    both(&f, "dir/a", "two");
    OK(quire_artifact_remove(f.q, f.s.id, "dir/a", 1, &test_err));
    both(&f, "dir/a", NULL);
    fixture_agrees(f.q, f.w);
    end(&f);
}

TEST(an_artifact_that_the_tool_wrote_is_put_away_by_the_other_door)
{
    struct fix f = begin();

    fixture_write(f.w, "a", "text");
    puts_away(&f, "a");
    both(&f, "a", NULL);
    YES(fixture_read(f.w, "a") == NULL);
    SAME_TEXT("", fixture_sync(f.w));
    brings_back(&f, "a");
    both(&f, "a", "text");
    fixture_agrees(f.q, f.w);
    end(&f);
}

TEST(an_artifact_that_the_tool_deleted_is_brought_back_by_the_other_door)
{
    struct fix f = begin();

    fixture_write(f.w, "a", "text");
    again(&f);
    tool_deletes(&f, "a");
    both(&f, "a", NULL);
    brings_back(&f, "a");
    both(&f, "a", "text");
    fixture_agrees(f.q, f.w);
    both(&f, "a", "text");
    end(&f);
}

TEST(an_artifact_that_the_tool_deleted_is_put_again_by_the_other_door)
{
    struct fix f = begin();

    fixture_write(f.w, "a", "text");
    again(&f);
    tool_deletes(&f, "a");
    puts_text(&f, "a", "text");
    both(&f, "a", "text");
    fixture_agrees(f.q, f.w);
    both(&f, "a", "text");
    end(&f);
}

/* Its file is gone, and nobody has looked since. */
TEST(a_put_of_what_the_artifact_has_already_makes_its_file_again)
{
    struct fix f = begin();

    fixture_write(f.w, "a", "text");
    again(&f);
    removes(&f, "a");
    puts_text(&f, "a", "text");
    both(&f, "a", "text");
    fixture_agrees(f.q, f.w);
    end(&f);
}

/* Versions go when there are too many: what the file was is known all the
 * same. */
TEST(a_file_that_was_touched_follows_an_artifact_that_has_moved_on)
{
    struct fix f = begin();
    quire *q = tenants_open(NULL, 0);

    OK(quire_config_set(f.q, "versions.kept", "1", &test_err));
    fixture_write(f.w, "a", "one");
    again(&f);
    EQ(0, utimensat(AT_FDCWD, fixture_path(f.w, 0, "a"), NULL, 0));
    puts_text(&f, "a", "two");
    both(&f, "a", "two");
    EQ(2, stat_of(&f, "a").version);
    quire_close(q);
    fixture_agrees(f.q, f.w);
    end(&f);
}

/* A put is one step from a removal, and both from what is noted. */
TEST(puts_and_removals_by_the_other_door_in_quick_succession)
{
    struct fix f = begin();
    char text[32];
    int i;

    OK(quire_workspace_make(f.w, &test_err));
    for (i = 0; i < 10; i++) {
        snprintf(text, sizeof text, "text %d", i);
        puts_text(&f, "a", text);
        both(&f, "a", text);
        fixture_write(f.w, "b", text);
        puts_away(&f, "a");
        puts_away(&f, "b");
        both(&f, "a", NULL);
        both(&f, "b", NULL);
        SAME_TEXT("", fixture_sync(f.w));
    }
    brings_back(&f, "a");
    both(&f, "a", "text 9");
    fixture_agrees(f.q, f.w);
    end(&f);
}

TEST(another_handle_writes_and_deletes_between)
{
    struct fix f = begin();
    quire *q = tenants_open(NULL, 0);
    quire_workspace *w = fixture_open(q, f.s.id);

    fixture_write(f.w, "a", "of the first");
    fixture_write(w, "a", "of the second");
    fixture_write(f.w, "a", "of the first again");
    both(&f, "a", "of the first again");
    fixture_does(w, "{\"action\":\"delete\",\"filename\":\"a\"}");
    both(&f, "a", NULL);
    fixture_write(f.w, "a", "of the first again");
    fixture_agrees(q, w);
    fixture_agrees(f.q, f.w);
    both(&f, "a", "of the first again");
    quire_workspace_close(w);
    quire_close(q);
    end(&f);
}

/* ---- both change -------------------------------------------------------- */

static uint64_t size_of_version(struct fix *f, const char *path, int64_t number)
{
    quire_artifact_get_options o = QUIRE_ARTIFACT_GET_OPTIONS_INIT;
    quire_artifact a;

    o.version = number;
    OK(quire_artifact_stat(f->q, f->s.id, path, &o, &a, &test_err));
    return a.size;
}

TEST(of_a_file_and_an_artifact_that_both_changed_both_are_kept)
{
    struct fix f = begin();

    fixture_write(f.w, "a", "1");
    fixture_edit(f.w, "a", "333");
    puts_text(&f, "a", "22");
    both(&f, "a", "333");
    EQ(3, stat_of(&f, "a").version);
    EQ(2, size_of_version(&f, "a", 2));
    fixture_agrees(f.q, f.w);
    end(&f);
}

TEST(what_was_done_to_a_file_is_kept_when_the_tool_writes_it)
{
    struct fix f = begin();

    fixture_write(f.w, "a", "1");
    fixture_edit(f.w, "a", "22");
    fixture_write(f.w, "a", "333");
    both(&f, "a", "333");
    EQ(3, stat_of(&f, "a").version);
    EQ(2, size_of_version(&f, "a", 2));
    fixture_agrees(f.q, f.w);
    end(&f);
}

TEST(what_was_done_to_a_file_is_kept_when_the_tool_deletes_it)
{
    struct fix f = begin();

    fixture_write(f.w, "a", "1");
    fixture_edit(f.w, "a", "22");
    tool_deletes(&f, "a");
    both(&f, "a", NULL);
    brings_back(&f, "a");
    both(&f, "a", "22");
    fixture_edit(f.w, "a", "333");
    puts_away(&f, "a");
    both(&f, "a", NULL);
    brings_back(&f, "a");
    both(&f, "a", "333");
    end(&f);
}

TEST(a_new_file_is_deleted_by_the_tool_and_can_be_brought_back)
{
    struct fix f = begin();

    OK(quire_workspace_make(f.w, &test_err));
    fixture_edit(f.w, "a", "nobody knows it");
    tool_deletes(&f, "a");
    both(&f, "a", NULL);
    brings_back(&f, "a");
    both(&f, "a", "nobody knows it");
    end(&f);
}

TEST(a_run_without_a_command_is_refused)
{
    quire_run_options o = QUIRE_RUN_OPTIONS_INIT;
    quire_run_result got;
    struct fix f = begin();

    IS(QUIRE_INVALID, quire_run(f.w, NULL, &got, &test_err));
    SAME_TEXT("command is empty", test_err.what);
    IS(QUIRE_INVALID, quire_run(f.w, &o, &got, &test_err));
    end(&f);
}
