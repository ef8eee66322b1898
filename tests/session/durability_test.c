/* What a session has acknowledged is where a power cut cannot take it. */
#include <fcntl.h>
#include <unistd.h>

#include "base/bytes.h"
#include "support/durability.h"
#include "support/session.h"

#define LINE(id, parent)                                           \
    "{\"type\":\"message\",\"id\":\"" id "\",\"parentId\":" parent \
    ",\"message\":{\"role\":\"user\",\"content\":\"" id "\"}}\n"
#define V1                                                           \
    "{\"type\":\"session\",\"id\":\"s1\",\"cwd\":\"/w\"}\n"          \
    "{\"type\":\"message\",\"message\":{\"role\":\"user\",\"content" \
    "\":\"one\"}}\n"
#define SLOT                                                            \
    "{\"type\":\"title\",\"v\":1,\"title\":\"old\",\"source\":\"user\"" \
    ",\"updatedAt\":\"2026-02-16T10:20:30.000Z\",\"pad\":\"           " \
    "                                        \"}\n"

static const struct session_birth birth = {.id = "s1",
                                           .cwd = "/w",
                                           .at_us = 1771237230000000};

static void is_safe(void)
{
    EQ(0, lasting_marked());
    EQ(0, lasting_breaches());
}

static quire_session *open_as(struct house *h, quire_durability sync)
{
    struct session_place place = {.store = h->store, .name = "p/q/f"};
    quire_session *s;

    OK(session_open(&h->env, &place, &birth, 0, sync, &s, &test_err));
    return s;
}

static quire_session *new_as(struct house *h, unsigned flags,
                             quire_durability sync)
{
    struct session_place place = {.store = h->store, .name = "p/q/f"};
    quire_session *s;

    OK(session_new(&h->env, &place, &birth, flags, sync, &s, &test_err));
    return s;
}

TEST(with_sync_each_an_append_is_synced_before_it_is_acknowledged)
{
    struct house h;
    quire_session *s;
    int i;

    house_open(&h, true);
    house_write(&h, "p/q/f", HEADER LINE("a", "null"));
    lasting_watch(true);
    s = open_as(&h, QUIRE_SYNC_EACH);
    for (i = 0; i < 10; i++) {
        say(s, i % 2 ? "user" : "assistant", "hello");
        is_safe();
    }
    OK(quire_session_label(s, "a", "here", NULL, &test_err));
    is_safe();
    OK(quire_session_branch(s, "a", true, NULL, &test_err));
    is_safe();
    OK(quire_session_branch_summary(s, "a", "so far", bytes_str(""), NULL,
                                    &test_err));
    is_safe();
    quire_session_close(s);
    lasting_watch(false);
    house_close(&h);
}

TEST(without_it_appends_are_synced_by_flush_and_not_before)
{
    struct house h;
    quire_session *s;

    house_open(&h, true);
    house_write(&h, "p/q/f", HEADER);
    s = open_as(&h, QUIRE_SYNC_FLUSH);
    lasting_watch(true);
    say(s, "user", "one");
    YES(lasting_marked() > 0);
    OK(quire_session_flush(s, &test_err));
    is_safe();
    say(s, "user", "two");
    YES(lasting_marked() > 0);
    OK(quire_session_flush(s, &test_err));
    is_safe();
    quire_session_close(s);
    lasting_watch(false);
    house_close(&h);
}

TEST(a_new_session_has_its_file_and_directories_synced_before_it_is_known)
{
    static const quire_durability each[] = {QUIRE_SYNC_FLUSH, QUIRE_SYNC_NONE,
                                            QUIRE_SYNC_EACH};
    size_t i;

    for (i = 0; i < 3; i++) {
        struct house h;
        quire_session *s;

        house_open(&h, true);
        lasting_watch(true);
        s = new_as(&h, QUIRE_SESSION_AT_ONCE, each[i]);
        is_safe();
        quire_session_close(s);
        lasting_watch(false);
        house_close(&h);
        test_forget_dir();
    }
}

TEST(the_first_answer_is_synced_with_all_that_came_before_it)
{
    struct house h;
    quire_session *s;

    house_open(&h, true);
    lasting_watch(true);
    s = new_as(&h, 0, QUIRE_SYNC_EACH);
    say(s, "user", "one");
    NO(house_has(&h, "p/q/f"));
    say(s, "assistant", "two");
    YES(house_has(&h, "p/q/f"));
    is_safe();
    say(s, "user", "three");
    is_safe();
    quire_session_close(s);
    lasting_watch(false);
    house_close(&h);
}

/* A file that somebody made carelessly: its name may not be on the disk. */
TEST(the_name_of_a_file_that_someone_else_made_is_synced_with_the_first_append)
{
    struct house h;
    quire_session *s;
    int fd;

    house_open(&h, true);
    house_write(&h, "p/q/f", HEADER);
    lasting_watch(true);
    fd = open(test_path("home/p/q"), O_RDONLY | O_DIRECTORY);
    lasting_mark(fd);
    close(fd);
    s = open_as(&h, QUIRE_SYNC_EACH);
    say(s, "user", "one");
    is_safe();
    quire_session_close(s);
    lasting_watch(false);
    house_close(&h);
}

TEST(an_empty_file_that_becomes_a_session_is_synced_with_its_first_append)
{
    struct house h;
    quire_session *s;

    house_open(&h, true);
    house_write(&h, "p/q/f", "");
    lasting_watch(true);
    s = open_as(&h, QUIRE_SYNC_EACH);
    say(s, "user", "one");
    is_safe();
    quire_session_close(s);
    lasting_watch(false);
    house_close(&h);
}

/* Bytes before the name, the directory behind it: a breach is a name given to
 * bytes that are not on the disk. */
TEST(a_file_that_takes_the_place_of_another_is_synced_before_and_after)
{
    static const char *const texts[] = {V1, HEADER LINE("a", "null"),
                                        SLOT HEADER, HEADER "rubbish\n"};
    size_t i;

    for (i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct house h;
        quire_session *s = NULL;
        bool changed;

        house_open(&h, true);
        house_write(&h, "p/q/f", texts[i]);
        lasting_watch(true);
        if (i < 3) {
            s = open_as(&h, QUIRE_SYNC_FLUSH);
            is_safe();
            OK(session_rename(s, "another", &test_err));
            is_safe();
            OK(session_rehome(s, "/elsewhere", &test_err));
            is_safe();
            OK(session_copy(s, NULL, h.store->logs, "new/copy", &birth,
                            &test_err));
        } else {
            OK(session_mend(&h.env, h.store, "p/q/f", "p/q/kept", &changed,
                            &test_err));
            YES(changed);
        }
        is_safe();
        quire_session_close(s);
        lasting_watch(false);
        house_close(&h);
        test_forget_dir();
    }
}
