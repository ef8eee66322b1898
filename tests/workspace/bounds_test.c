/*
 * What else lies in the directory of a workspace, or is missing there; how much
 * it may hold, and whose it is.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/fs.h"
#include "workspace/fixture.h"

/* ---- directories -------------------------------------------------------- */

static void drops_tree(const char *path)
{
    int root;

    OK(fs_open_dir("/", false, &root, &test_err));
    EQ(0, fs_remove_tree(root, path + 1));
    close(root);
}

TEST(artifacts_stay_when_the_directory_is_removed)
{
    struct fix f = begin();

    fixture_write(f.w, "a", "one");
    fixture_write(f.w, "b/c", "two");
    again(&f);
    drops_tree(quire_workspace_dir(f.w, 0));
    SAME_TEXT("one", fixture_read(f.w, "a"));
    SAME_TEXT("", fixture_sync(f.w));
    SAME_TEXT("one", fixture_artifact(f.q, f.s.id, "a"));
    fixture_write(f.w, "new", "three");
    both(&f, "a", "one");
    both(&f, "b/c", "two");
    fixture_agrees(f.q, f.w);
    end(&f);
}

/* With a handle that has noted what the files were. */
TEST(artifacts_stay_when_the_directory_is_removed_under_a_handle)
{
    struct fix f = begin();

    fixture_write(f.w, "a", "one");
    drops_tree(quire_workspace_dir(f.w, 0));
    fixture_write(f.w, "new", "two");
    both(&f, "a", "one");
    fixture_agrees(f.q, f.w);
    drops_tree(quire_workspace_dir(f.w, 0));
    SAME_TEXT("", fixture_sync(f.w));
    OK(quire_workspace_make(f.w, &test_err));
    both(&f, "a", "one");
    both(&f, "new", "two");
    end(&f);
}

TEST(artifacts_stay_when_all_that_is_around_the_directory_is_removed)
{
    struct fix f = begin();

    fixture_write(f.w, "a", "one");
    again(&f);
    drops_tree(test_path("home/artifacts"));
    OK(quire_workspace_make(f.w, &test_err));
    both(&f, "a", "one");
    fixture_agrees(f.q, f.w);
    end(&f);
}

TEST(an_artifact_is_deleted_while_there_is_no_directory)
{
    struct fix f = begin();

    fixture_write(f.w, "a", "one");
    fixture_write(f.w, "b", "two");
    again(&f);
    drops_tree(quire_workspace_dir(f.w, 0));
    tool_deletes(&f, "a");
    both(&f, "a", NULL);
    fixture_write(f.w, "c", "three");
    both(&f, "a", NULL);
    both(&f, "b", "two");
    end(&f);
}

TEST(a_directory_in_the_place_of_a_file_and_the_reverse)
{
    struct fix f = begin();

    fixture_write(f.w, "a", "file");
    fixture_write(f.w, "b/c", "below");
    removes(&f, "a");
    makes_dir(&f, "a");
    fixture_edit(f.w, "a/x", "inside");
    removes(&f, "b/c");
    EQ(0, rmdir(fixture_path(f.w, 0, "b")));
    fixture_edit(f.w, "b", "a file now");
    HAS(fixture_sync(f.w), "taken a/x, taken b, ");
    both(&f, "a/x", "inside");
    both(&f, "b", "a file now");
    both(&f, "b/c", NULL);
    fixture_agrees(f.q, f.w);
    fixture_refuses(f.w, "exists",
                    "{\"action\":\"write\",\"filename\":\"a\",\"content\":"
                    "\"x\"}");
    fixture_refuses(f.w, "exists",
                    "{\"action\":\"write\",\"filename\":\"b/c\",\"content\":"
                    "\"x\"}");
    fixture_refuses(f.w, "not_found",
                    "{\"action\":\"delete\",\"filename\":\"a\"}");
    fixture_refuses(f.w, "not_found",
                    "{\"action\":\"read\",\"filename\":\"a\"}");
    fixture_agrees(f.q, f.w);
    end(&f);
}

/* Rows can have names that files cannot have together. */
TEST(an_artifact_without_room_for_its_file_stays_one)
{
    struct fix f = begin();

    fixture_write(f.w, "b", "a workspace that is there");
    EQ(0, mkdir(fixture_path(f.w, 0, "a"), 0700));
    test_write_file(fixture_path(f.w, 0, "a/.hidden"), bytes_str("inside"));
    puts_text(&f, "a", "no place");
    SAME_TEXT("passed a (something else has its name), ", fixture_sync(f.w));
    SAME_TEXT("no place", fixture_artifact(f.q, f.s.id, "a"));
    SAME_TEXT("no place", fixture_read(f.w, "a"));
    EQ(0, unlink(fixture_path(f.w, 0, "a/.hidden")));
    EQ(0, rmdir(fixture_path(f.w, 0, "a")));
    SAME_TEXT("given a, ", fixture_sync(f.w));
    both(&f, "a", "no place");
    fixture_agrees(f.q, f.w);
    end(&f);
}

TEST(a_script_that_is_put_again_stays_one)
{
    struct fix f = begin();
    struct stat st;

    fixture_write(f.w, "s.sh", "echo one");
    EQ(0, chmod(fixture_path(f.w, 0, "s.sh"), 0700));
    fixture_write(f.w, "s.sh", "echo two");
    EQ(0, stat(fixture_path(f.w, 0, "s.sh"), &st));
    EQ(0700, st.st_mode & 0777);
    puts_text(&f, "s.sh", "echo three");
    fixture_sync(f.w);
    both(&f, "s.sh", "echo three");
    EQ(0, stat(fixture_path(f.w, 0, "s.sh"), &st));
    EQ(0700, st.st_mode & 0777);
    end(&f);
}

static void makes(struct fix *f, const char *name)
{
    char *path = strdup(fixture_path(f->w, 0, name)), *slash = path;

    while ((slash = strchr(slash + 1, '/'))) {
        *slash = '\0';
        mkdir(path, 0700);
        *slash = '/';
    }
    test_write_file(path, bytes_str(name));
    free(path);
}

TEST(directories_that_tools_make_again_are_no_artifacts)
{
    struct fix f = begin();
    quire_artifact a;
    quire_watch *watch;
    int i;

    fixture_write(f.w, "a", "x");
    makes(&f, "node_modules/left/index.js");
    makes(&f, "lib/__pycache__/m.pyc");
    makes(&f, "env/pyvenv.cfg");
    makes(&f, "env/lib/site.py");
    makes(&f, "target/CACHEDIR.TAG");
    makes(&f, "target/debug/x.o");
    makes(&f, "environment/lib.py");
    SAME_TEXT("taken environment/lib.py, ", fixture_sync(f.w));
    SAME_TEXT("", fixture_sync(f.w));
    /* What somebody has made an artifact is one. */
    fixture_write(f.w, "node_modules/mine.js", "mine");
    both(&f, "node_modules/mine.js", "mine");
    test_write_file(fixture_path(f.w, 0, "node_modules/mine.js"),
                    bytes_str("edited"));
    SAME_TEXT("taken node_modules/mine.js, ", fixture_sync(f.w));
    both(&f, "node_modules/mine.js", "edited");
    /* So does a watch have it, which looks at one file at a time. */
    OK(quire_watch_open(f.q, f.s.id, &watch, &test_err));
    makes(&f, "env/lib/new.py");
    makes(&f, "heard.py");
    for (i = 0; i < 50 && quire_artifact_stat(f.q, f.s.id, "heard.py", NULL, &a,
                                              &test_err);
         i++)
        OK(quire_watch_next(watch, 100, NULL, NULL, &test_err));
    quire_watch_close(watch);
    IS(QUIRE_NOT_FOUND,
       quire_artifact_stat(f.q, f.s.id, "env/lib/new.py", NULL, &a, &test_err));
    /* What is to be replaced is kept first. */
    fixture_write(f.w, "env/lib/site.py", "ours");
    OK(quire_artifact_stat(f.q, f.s.id, "env/lib/site.py", NULL, &a,
                           &test_err));
    EQ(2, a.version);
    end(&f);
}

TEST(a_file_in_the_way_of_an_artifact_keeps_no_other_from_being_taken)
{
    struct fix f = begin();

    fixture_write(f.w, "first", "x");
    makes(&f, "a");
    puts_text(&f, "a/b.txt", "below");
    makes(&f, "other");
    makes(&f, "zebra");
    HAS(fixture_sync(f.w), "passed a (an artifact is in its place");
    both(&f, "other", "other");
    both(&f, "zebra", "zebra");
    SAME_TEXT("below", fixture_artifact(f.q, f.s.id, "a/b.txt"));
    end(&f);
}

/* ---- what is no file of ours -------------------------------------------- */

static void links(struct fix *f, const char *to, const char *name)
{
    EQ(0, symlink(to, fixture_path(f->w, 0, name)));
}

static bool is_link(struct fix *f, const char *name)
{
    struct stat st;

    return !lstat(fixture_path(f->w, 0, name), &st) && S_ISLNK(st.st_mode);
}

TEST(a_link_to_a_file_is_never_followed)
{
    struct fix f = begin();

    test_write_file(test_path("outside"), bytes_str("secret"));
    OK(quire_workspace_make(f.w, &test_err));
    links(&f, test_path("outside"), "a");
    SAME_TEXT("", fixture_sync(f.w));
    YES(fixture_read(f.w, "a") == NULL);
    fixture_refuses(f.w, "exists",
                    "{\"action\":\"write\",\"filename\":\"a\",\"content\":"
                    "\"x\"}");
    fixture_refuses(f.w, "not_found",
                    "{\"action\":\"delete\",\"filename\":\"a\"}");
    puts_text(&f, "a", "of the artifact");
    YES(is_link(&f, "a"));
    SAME_TEXT("passed a (something else has its name), ", fixture_sync(f.w));
    YES(is_link(&f, "a"));
    SAME_TEXT("of the artifact", fixture_read(f.w, "a"));
    tool_deletes(&f, "a");
    YES(is_link(&f, "a"));
    SAME(bytes_str("secret"), test_read_file(test_path("outside")));
    end(&f);
}

TEST(a_link_to_a_directory_is_never_followed)
{
    struct fix f = begin();

    EQ(0, mkdir(test_path("outside"), 0755));
    test_write_file(test_path("outside/f"), bytes_str("secret"));
    OK(quire_workspace_make(f.w, &test_err));
    links(&f, test_path("outside"), "d");
    SAME_TEXT("", fixture_sync(f.w));
    YES(fixture_read(f.w, "d/f") == NULL);
    fixture_refuses(f.w, "exists",
                    "{\"action\":\"write\",\"filename\":\"d/f\",\"content\":"
                    "\"x\"}");
    fixture_refuses(f.w, "exists",
                    "{\"action\":\"write\",\"filename\":\"d/new\","
                    "\"content\":\"x\"}");
    fixture_refuses(f.w, "not_found",
                    "{\"action\":\"delete\",\"filename\":\"d/f\"}");
    puts_text(&f, "d/f", "of the artifact");
    SAME_TEXT("passed d/f (something else has its name), ", fixture_sync(f.w));
    puts_away(&f, "d/f");
    SAME(bytes_str("secret"), test_read_file(test_path("outside/f")));
    EQ(1, test_count_files(test_path("outside")));
    YES(is_link(&f, "d"));
    end(&f);
}

TEST(links_in_the_scratchpad_are_never_followed)
{
    struct fix f = begin();

    test_write_file(test_path("outside"), bytes_str("secret"));
    OK(quire_workspace_make(f.w, &test_err));
    EQ(0, symlink(test_path("outside"), fixture_path(f.w, 1, "a")));
    EQ(0, symlink(test_dir(), fixture_path(f.w, 1, "d")));
    fixture_refuses(f.w, "not_found",
                    "{\"action\":\"read\",\"scope\":\"scratchpad\","
                    "\"filename\":\"a\"}");
    fixture_refuses(f.w, "not_found",
                    "{\"action\":\"read\",\"scope\":\"scratchpad\","
                    "\"filename\":\"d/outside\"}");
    fixture_refuses(f.w, "exists",
                    "{\"action\":\"write\",\"scope\":\"scratchpad\","
                    "\"filename\":\"a\",\"content\":\"\"}");
    fixture_refuses(f.w, "exists",
                    "{\"action\":\"write\",\"scope\":\"scratchpad\","
                    "\"filename\":\"d/outside\",\"content\":\"\"}");
    fixture_refuses(f.w, "not_found",
                    "{\"action\":\"delete\",\"scope\":\"scratchpad\","
                    "\"filename\":\"d/outside\"}");
    SAME_TEXT("0", fixture_value(fixture_does(f.w, "{\"action\":\"list\","
                                                   "\"scope\":\"scratchpad\"}"),
                                 "count"));
    SAME(bytes_str("secret"), test_read_file(test_path("outside")));
    end(&f);
}

TEST(pipes_and_hidden_files_are_left_alone)
{
    struct fix f = begin();

    fixture_write(f.w, "was", "a file");
    again(&f);
    EQ(0, mkfifo(fixture_path(f.w, 0, "pipe"), 0600));
    fixture_edit(f.w, ".hidden", "program's own");
    makes_dir(&f, ".git");
    fixture_edit(f.w, ".git/config", "program's own");
    SAME_TEXT("", fixture_sync(f.w));
    YES(fixture_read(f.w, "pipe") == NULL);
    fixture_refuses(f.w, "exists",
                    "{\"action\":\"write\",\"filename\":\"pipe\","
                    "\"content\":\"\"}");
    puts_text(&f, "pipe", "of the artifact");
    YES(fixture_file(f.w, "pipe") == NULL);
    tool_deletes(&f, "pipe");
    YES(test_exists(fixture_path(f.w, 0, "pipe")));
    YES(test_exists(fixture_path(f.w, 0, ".git/config")));
    end(&f);
}

TEST(files_with_names_that_cannot_be_are_passed)
{
    struct fix f = begin();

    OK(quire_workspace_make(f.w, &test_err));
    fixture_edit(f.w, "new\nline", "1");
    fixture_edit(f.w, "not\xff", "2");
    fixture_edit(f.w, "back\\slash", "3");
    fixture_edit(f.w, "c:on", "4");
    fixture_edit(f.w, "fine \xc3\xa4", "5");
    HAS(fixture_sync(f.w), "taken fine \xc3\xa4, ");
    HAS(fixture_sync(f.w), "passed not\xff (invalid_utf8), ");
    HAS(fixture_sync(f.w), "passed new\nline (control_char), ");
    HAS(fixture_sync(f.w), "passed back\\slash (not_canonical), ");
    HAS(fixture_sync(f.w), "passed c:on (colon), ");
    EQ(5, test_count_files(quire_workspace_dir(f.w, 0)));
    fixture_does(f.w, "{\"action\":\"list\"}");
    end(&f);
}

/* ---- limits ------------------------------------------------------------- */

TEST(files_that_are_too_large_are_passed_and_not_lost)
{
    struct fix f = begin();

    OK(quire_config_set(f.q, "quota.file", "10", &test_err));
    fixture_write(f.w, "a", "short");
    fixture_edit(f.w, "a", "longer than ten");
    fixture_edit(f.w, "b", "longer than that");
    SAME_TEXT("passed a (it is larger than an artifact may be), passed b (it "
              "is larger than an artifact may be), ",
              fixture_sync(f.w));
    SAME_TEXT("longer than ten", fixture_file(f.w, "a"));
    SAME_TEXT("short", fixture_artifact(f.q, f.s.id, "a"));
    SAME_TEXT("longer than that", fixture_read(f.w, "b"));
    OK(quire_config_set(f.q, "quota.file", "100", &test_err));
    SAME_TEXT("taken a, taken b, ", fixture_sync(f.w));
    fixture_agrees(f.q, f.w);
    end(&f);
}

/* What cannot become a version cannot be replaced either. */
TEST(a_file_that_cannot_be_kept_is_not_replaced_or_deleted)
{
    static const char longer[] = "longer than ten";
    struct fix f = begin();

    OK(quire_config_set(f.q, "quota.file", "10", &test_err));
    fixture_write(f.w, "a", "short");
    fixture_edit(f.w, "a", longer);
    fixture_edit(f.w, "b", longer);
    fixture_refuses(f.w, "too_large",
                    "{\"action\":\"write\",\"filename\":\"a\","
                    "\"content\":\"x\"}");
    fixture_refuses(f.w, "too_large",
                    "{\"action\":\"write\",\"filename\":\"b\","
                    "\"content\":\"x\"}");
    fixture_refuses(f.w, "too_large",
                    "{\"action\":\"delete\",\"filename\":\"a\"}");
    fixture_refuses(f.w, "too_large",
                    "{\"action\":\"delete\",\"filename\":\"b\"}");
    puts_text(&f, "a", "put");
    SAME_TEXT(longer, fixture_file(f.w, "a"));
    SAME_TEXT(longer, fixture_file(f.w, "b"));
    puts_away(&f, "a");
    SAME_TEXT(longer, fixture_file(f.w, "a"));
    end(&f);
}

TEST(files_over_the_quota_are_passed_and_not_lost)
{
    struct fix f = begin();

    OK(quire_config_set(f.q, "quota.session", "10", &test_err));
    fixture_write(f.w, "a", "12345");
    fixture_edit(f.w, "b", "123456");
    SAME_TEXT("passed b (it does not fit into the quota), ", fixture_sync(f.w));
    fixture_refuses(f.w, "quota",
                    "{\"action\":\"write\",\"filename\":\"b\","
                    "\"content\":\"x\"}");
    SAME_TEXT("123456", fixture_file(f.w, "b"));
    SAME_TEXT("123456", fixture_read(f.w, "b"));
    tool_deletes(&f, "a");
    SAME_TEXT("taken b, ", fixture_sync(f.w));
    fixture_agrees(f.q, f.w);
    end(&f);
}

/* ---- sessions ----------------------------------------------------------- */

TEST(a_session_that_is_removed_takes_its_workspace_along)
{
    struct fix f = begin();
    const char *dir = strdup(quire_workspace_dir(f.w, 0));

    fixture_write(f.w, "a", "text");
    fixture_does(f.w, "{\"action\":\"write\",\"scope\":\"scratchpad\","
                      "\"filename\":\"s\",\"content\":\"\"}");
    OK(quire_session_remove(f.q, f.s.id, &test_err));
    NO(test_exists(dir));
    EQ(0, test_count_files(test_path("home/artifacts")));
    fixture_ask(f.w, "{\"action\":\"write\",\"filename\":\"a\","
                     "\"content\":\"late\"}");
    fixture_ask(f.w, "{\"action\":\"list\"}");
    fixture_ask(f.w, "{\"action\":\"search\",\"query\":\"late\"}");
    fixture_refuses(f.w, "not_found",
                    "{\"action\":\"read\",\"filename\":\"a\"}");
    EQ(0, test_count_files(test_path("home/artifacts")));
    EQ(0, catalogue_number("SELECT count(*) FROM copy"));
    EQ(0, catalogue_number("SELECT count(*) FROM removal"));
    end(&f);
    free((void *)(uintptr_t)dir);
}

TEST(a_write_for_a_removed_session_is_refused_and_leaves_nothing)
{
    struct fix f = begin(), g;

    fixture_write(f.w, "a", "text");
    g = (struct fix){.q = tenants_open(NULL, 0)};
    OK(quire_session_remove(g.q, f.s.id, &test_err));
    quire_close(g.q);
    fixture_refuses(f.w, "not_found",
                    "{\"action\":\"write\",\"filename\":\"deep/a\","
                    "\"content\":\"late\"}");
    fixture_refuses(f.w, "not_found",
                    "{\"action\":\"write\",\"scope\":\"scratchpad\","
                    "\"filename\":\"s\",\"content\":\"late\"}");
    IS(QUIRE_NOT_FOUND, quire_workspace_make(f.w, &test_err));
    HAS(test_err.what, "has been removed");
    EQ(0, rmdir(test_path("home/artifacts/sessions"))); /* it is empty */
    EQ(0, catalogue_number("SELECT count(*) FROM artifact"));
    end(&f);
}

TEST(a_workspace_follows_a_session_that_is_moved_before_its_first_file)
{
    struct fix f = begin();
    quire_session *moved;

    OK(quire_session_move(f.q, f.s.id, "/elsewhere", &moved, &test_err));
    quire_session_close(moved);
    fixture_does(f.w, "{\"action\":\"write\",\"scope\":\"scratchpad\","
                      "\"filename\":\"s\",\"content\":\"x\"}");
    fixture_write(f.w, "a", "text");
    both(&f, "a", "text");
    end(&f);
}

TEST(tenants_have_workspaces_of_their_own)
{
    quire_workspace *mine, *theirs;
    quire *q, *t;

    tenants_add("other");
    q = tenants_open(NULL, 0);
    t = tenants_open("other", 0);
    mine = fixture_open(q, NULL);
    theirs = fixture_open(t, NULL);
    fixture_write(mine, "a", "mine");
    YES(fixture_read(theirs, "a") == NULL);
    fixture_write(theirs, "a", "theirs");
    SAME_TEXT("mine", fixture_read(mine, "a"));
    SAME_TEXT("mine", fixture_file(mine, "a"));
    SAME_TEXT("theirs", fixture_file(theirs, "a"));
    HAS(quire_workspace_dir(theirs, 0), "/tenants/2/artifacts/temp");
    fixture_does(theirs, "{\"action\":\"delete\",\"filename\":\"a\"}");
    fixture_agrees(q, mine);
    fixture_agrees(t, theirs);
    quire_workspace_close(mine);
    quire_workspace_close(theirs);
    quire_close(q);
    quire_close(t);
}

TEST(the_built_in_sessions_have_workspaces_apart)
{
    quire *q = tenants_open(NULL, 0);
    quire_workspace *user = fixture_open(q, "user");
    quire_workspace *temp = fixture_open(q, NULL);

    SAME_TEXT("temp", quire_workspace_session(temp));
    fixture_write(user, "a", "user's");
    fixture_write(temp, "a", "temp's");
    fixture_does(user, "{\"action\":\"write\",\"scope\":\"scratchpad\","
                       "\"filename\":\"s\",\"content\":\"\"}");
    SAME_TEXT("user's", fixture_read(user, "a"));
    SAME_TEXT("temp's", fixture_read(temp, "a"));
    YES(test_exists(test_path("home/artifacts/scratchpad/user/s")));
    fixture_agrees(q, user);
    fixture_agrees(q, temp);
    quire_workspace_close(user);
    quire_workspace_close(temp);
    quire_close(q);
}

TEST(what_a_user_uploads_without_a_session_is_a_file)
{
    quire *q = tenants_open(NULL, 0);
    quire_workspace *user;

    OK(quire_artifact_put(q, NULL, "docs/before.txt", bytes_str("one"), NULL,
                          NULL, &test_err));
    user = fixture_open(q, "user");
    OK(quire_workspace_make(user, &test_err));
    YES(test_exists(test_path("home/artifacts/user/docs/before.txt")));
    OK(quire_artifact_put(q, NULL, "after.txt", bytes_str("two"), NULL, NULL,
                          &test_err));
    fixture_sync(user);
    YES(test_exists(test_path("home/artifacts/user/after.txt")));
    SAME_TEXT("two", fixture_file(user, "after.txt"));
    fixture_agrees(q, user);
    quire_workspace_close(user);
    quire_close(q);
}

/* A session file that says whatever it likes of itself. */
static void has_no_workspace(quire *q, const char *id, int number)
{
    quire_workspace *w = NULL;
    char name[64], line[512];
    quire_status st;

    snprintf(name, sizeof name, "home/sessions/evil/%d.jsonl", number);
    snprintf(line, sizeof line,
             "{\"type\":\"session\",\"version\":3,\"id\":\"%s\",\"timestamp\":"
             "\"2025-01-01T00:00:00.000Z\",\"cwd\":\"/evil\"}\n",
             id);
    test_write_file(test_path(name), bytes_str(line));
    st = quire_workspace_open(q, test_path(name), &w, &test_err);
    if (!st)
        fprintf(stderr, "%s has a workspace: %s\n", id,
                quire_workspace_dir(w, 0));
    YES(st != QUIRE_OK && w == NULL);
    YES(test_err.what[0]);
}

/* It is not what it says, and does not take along what is not its own. */
TEST(a_session_that_calls_itself_a_built_in_one_has_nothing_of_that)
{
    static const char header[] =
        "{\"type\":\"session\",\"version\":3,\"id\":\"user\",\"timestamp\":"
        "\"2025-01-01T00:00:00.000Z\",\"cwd\":\"/evil\"}\n";
    quire *q = tenants_open(NULL, 0);
    quire_workspace *w = fixture_open(q, "user"), *none;
    const char *file;

    tenants_session(q, "makes the directory");
    EQ(0, mkdir(test_path("home/sessions/evil"), 0755));
    file = test_path("home/sessions/evil/2025_user.jsonl");
    test_write_file(file, bytes_str(header));
    fixture_write(w, "a", "precious");
    IS(QUIRE_INVALID, quire_workspace_open(q, file, &none, &test_err));
    IS(QUIRE_INVALID,
       quire_artifact_put(q, file, "b", bytes_str("x"), NULL, NULL, &test_err));
    YES(test_err.what[0] && test_err.next[0]);
    OK(quire_session_remove(q, file, &test_err));
    NO(test_exists(file));
    SAME_TEXT("precious", fixture_artifact(q, "user", "a"));
    fixture_agrees(q, w);
    quire_workspace_close(w);
    quire_close(q);
}

TEST(an_id_that_is_no_name_has_no_workspace)
{
    static const char *const ids[] = {
        "..",   ".",    "",    ".hidden", "../x",  "a/b",
        "/etc", "a..b", "a b", "\\u00e4", "a\\nb",
    };
    struct fix f = begin();
    int i;

    EQ(0, mkdir(test_path("home/sessions/evil"), 0755));
    for (i = 0; i < (int)(sizeof ids / sizeof *ids); i++)
        has_no_workspace(f.q, ids[i], i);
    NO(test_exists(test_path("home/artifacts")));
    end(&f);
}

/* Its file has another name then. */
TEST(a_session_that_is_archived_keeps_its_workspace)
{
    struct fix f = begin();
    const char *moved;

    fixture_write(f.w, "a", "text");
    OK(quire_session_archive(f.q, f.s.id, &moved, &test_err));
    SAME_TEXT("text", fixture_read(f.w, "a"));
    fixture_write(f.w, "a", "in the archive");
    fixture_write(f.w, "b", "new");
    both(&f, "a", "in the archive");
    OK(quire_session_unarchive(f.q, f.s.id, &moved, &test_err));
    fixture_edit(f.w, "b", "edited");
    SAME_TEXT("taken b, ", fixture_sync(f.w));
    fixture_agrees(f.q, f.w);
    end(&f);
}
