/* Waiting until an agent has written. */
#include "import/watch.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/clock.h"
#include "support/test.h"

/* Long enough for a change to be delivered; short, for none that comes. */
enum { SOON_MS = 10000, NEVER_MS = 900 };

static struct import_watch *watch;
static const struct import_agent *changed[IMPORT_AGENTS_MAX + 1];

/* In a process of its own, in the directory of the test. */
static void run(const char *script)
{
    int status;
    pid_t pid = fork();

    if (pid == 0) {
        if (chdir(test_dir()) == 0)
            execl("/bin/sh", "sh", "-c", script, (char *)NULL);
        _exit(127);
    }
    YES(pid > 0);
    EQ(pid, waitpid(pid, &status, 0));
    EQ(0, status);
}

static quire_status wait_ms(long ms)
{
    struct itimerspec at = {{0, 0}, {ms / 1000, ms % 1000 * 1000000}};
    int timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
    quire_status st;

    YES(timer >= 0);
    EQ(0, timerfd_settime(timer, 0, &at, NULL));
    memset(changed, 0, sizeof changed);
    st = import_watch_wait(watch, timer, changed, &test_err);
    close(timer);
    return st;
}

/* Each place counts as changed once when it is added. */
static void add(const char *agent, const char *name, bool is_tree)
{
    struct arena keep = ARENA_INIT;
    struct import_places p = {.keep = &keep};

    OK(places_spot(&p, import_agent_of(agent), test_path(name), is_tree,
                   &test_err));
    OK(import_watch_add(watch, &p, &test_err));
    arena_release(&keep);
    OK(wait_ms(SOON_MS));
    SAME_TEXT(agent, changed[0]->name);
}

static void begin(void)
{
    test_dir();
    OK(import_watch_open(&watch, &test_err));
}

static void end(void)
{
    import_watch_close(watch);
    watch = NULL;
}

static void is_changed(const char *agent)
{
    OK(wait_ms(SOON_MS));
    SAME_TEXT(agent, changed[0]->name);
    YES(!changed[1]);
}

static void is_quiet(void)
{
    IS(QUIRE_STOPPED, wait_ms(NEVER_MS));
}

TEST(what_is_written_below_a_place_is_delivered_once)
{
    begin();
    run("mkdir -p c/p");
    add("claude-code", "c", true);
    is_quiet();
    run("echo a >c/p/a.jsonl");
    is_changed("claude-code");
    run("echo b >>c/p/a.jsonl");
    is_changed("claude-code");
    is_quiet();
    end();
}

TEST(directories_that_are_made_later_are_watched)
{
    begin();
    run("mkdir x");
    add("codex", "x", true);
    run("mkdir -p x/2026/03/01 && echo a >x/2026/03/01/a.jsonl");
    is_changed("codex");
    run("echo b >>x/2026/03/01/a.jsonl");
    is_changed("codex");
    run("mkdir -p away/04 && mv away x/2027");
    is_changed("codex");
    run("echo b >>x/2027/04/b.jsonl");
    is_changed("codex");
    run("mv x/2027 away");
    is_changed("codex");
    run("echo c >>away/04/b.jsonl");
    is_quiet();
    end();
}

TEST(a_place_that_does_not_exist_is_awaited)
{
    begin();
    add("codex", "h/.codex/sessions", true);
    run("mkdir -p other/sessions && echo a >other/sessions/a.jsonl");
    is_quiet();
    run("mkdir h");
    is_changed("codex");
    run("mkdir -p h/.codex/sessions/2026 && echo a >h/.codex/sessions/2026/a");
    is_changed("codex");
    run("echo b >>h/.codex/sessions/2026/a");
    is_changed("codex");
    end();
}

TEST(a_place_that_is_removed_is_awaited_again)
{
    begin();
    run("mkdir -p x/sessions");
    add("codex", "x/sessions", true);
    run("mv x y");
    is_changed("codex");
    run("echo a >y/sessions/a");
    is_quiet();
    run("mkdir -p x/sessions && echo a >x/sessions/a");
    is_changed("codex");
    run("rm -r x");
    is_changed("codex");
    run("mkdir -p x/sessions && echo b >x/sessions/b");
    is_changed("codex");
    end();
}

TEST(of_a_file_what_sqlite_keeps_beside_it_counts_and_nothing_else)
{
    begin();
    run("mkdir d && echo a >d/crush.db");
    add("crush", "d/crush.db", false);
    run("echo x >d/other; mkdir d/sub; echo x >d/sub/crush.db");
    is_quiet();
    run("echo a >d/crush.db-wal");
    is_changed("crush");
    run("echo a >>d/crush.db");
    is_changed("crush");
    end();
}

TEST(a_place_behind_a_link_is_watched)
{
    begin();
    run("mkdir -p real/sessions && ln -s real .codex");
    add("codex", ".codex/sessions", true);
    run("echo a >real/sessions/a");
    is_changed("codex");
    end();
}

TEST(each_agent_is_delivered_by_name)
{
    begin();
    run("mkdir a b");
    add("codex", "b", true);
    add("claude-code", "a", true);
    run("echo x >a/x && echo x >b/x");
    OK(wait_ms(SOON_MS));
    SAME_TEXT("claude-code", changed[0]->name);
    SAME_TEXT("codex", changed[1]->name);
    YES(!changed[2]);
    end();
}

TEST(an_agent_that_writes_without_pause_is_delivered_after_a_while)
{
    int64_t before;
    pid_t pid;

    begin();
    run("mkdir a");
    add("claude-code", "a", true);
    pid = fork();
    if (pid == 0) {
        if (chdir(test_dir()) == 0)
            execl("/bin/sh", "sh", "-c",
                  "i=0; while [ $i -lt 400 ]; do echo x >>a/x; sleep 0.05; "
                  "i=$((i+1)); done",
                  (char *)NULL);
        _exit(127);
    }
    before = clock_steady_us();
    is_changed("claude-code");
    YES(clock_steady_us() - before < 15 * 1000000);
    kill(pid, SIGKILL);
    EQ(pid, waitpid(pid, NULL, 0));
    end();
}

TEST(waiting_ends_at_once_when_it_is_woken)
{
    int ends[2];

    begin();
    EQ(0, pipe(ends));
    EQ(1, write(ends[1], "", 1));
    IS(QUIRE_STOPPED, import_watch_wait(watch, ends[0], changed, &test_err));
    close(ends[0]);
    close(ends[1]);
    end();
}
