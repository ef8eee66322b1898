/* Sessions that are parked and resumed. */
#include <string.h>

#include "base/bytes.h"
#include "support/session.h"

#define LINE(id, parent)                                                 \
    "{\"type\":\"message\",\"id\":\"" id "\",\"parentId\":" parent       \
    ",\"timestamp\":\"2026-02-16T10:21:00.000Z\",\"message\":{\"role\":" \
    "\"user\",\"content\":\"" id "\"}}\n"
#define A LINE("a", "null")
#define B LINE("b", "\"a\"")

static quire_status resume(struct house *h, quire_session *s, unsigned flags)
{
    return session_resume(s, &h->env, flags, QUIRE_SYNC_FLUSH, &test_err);
}

static void append_line(struct house *h, const char *name, const char *line)
{
    struct object_info info;
    struct log *log;

    OK(log_open(h->store->logs, name, LOG_APPEND, &log, &info, &test_err));
    OK(log_append(log, LOG_NO_EPOCH, info.size, bytes_str(line), &test_err));
    log_close(log);
}

static void other_writers(struct house *h)
{
    quire_session *s, *other;

    house_write(h, "s.jsonl", HEADER A);
    s = house_open_session(h, "s.jsonl", 0);
    OK(quire_session_flush(s, &test_err));
    YES(quire_session_park(s));
    other = house_open_session(h, "s.jsonl", 0); /* the lock is free */
    quire_session_close(other);
    append_line(h, "s.jsonl", B);
    OK(resume(h, s, QUIRE_SESSION_READ));
    SAME_TEXT("a b", path_of(s, NULL));
    YES(quire_session_park(s));
    OK(resume(h, s, 0));
    say(s, "user", "c");
    OK(quire_session_flush(s, &test_err));
    YES(quire_session_park(s));
    other = house_open_session(h, "s.jsonl", QUIRE_SESSION_READ);
    YES(strstr(all_entries(other), "\"content\":\"c\""));
    quire_session_close(other);
    quire_session_close(s);
}

TEST(a_parked_session_lets_others_write_and_has_their_entries_later)
{
    house_each(other_writers);
}

static void held_by_another(struct house *h)
{
    quire_session *s, *other;

    house_write(h, "s.jsonl", HEADER A);
    s = house_open_session(h, "s.jsonl", 0);
    OK(quire_session_flush(s, &test_err));
    YES(quire_session_park(s));
    other = house_open_session(h, "s.jsonl", 0);
    h->env.busy_ms = 1;
    IS(QUIRE_BUSY, resume(h, s, 0));
    OK(resume(h, s, QUIRE_SESSION_READ)); /* a reader does not wait */
    YES(quire_session_park(s));
    quire_session_close(other);
    OK(resume(h, s, 0));
    quire_session_close(s);
}

TEST(a_parked_session_is_resumed_for_writing_by_one_at_a_time)
{
    house_each(held_by_another);
}

static void reader_becomes_writer(struct house *h)
{
    quire_session *s;

    house_write(h, "s.jsonl", HEADER A);
    s = house_open_session(h, "s.jsonl", QUIRE_SESSION_READ);
    YES(quire_session_park(s));
    OK(resume(h, s, 0));
    say(s, "user", "b");
    NO(quire_session_park(s)); /* it is not flushed */
    OK(quire_session_flush(s, &test_err));
    YES(quire_session_park(s));
    OK(resume(h, s, QUIRE_SESSION_READ));
    IS(QUIRE_INVALID, quire_session_append(s, bytes_str("{\"type\":\"x\"}"),
                                           NULL, NULL, &test_err));
    quire_session_close(s);
}

TEST(a_session_that_was_read_is_resumed_for_writing)
{
    house_each(reader_becomes_writer);
}

static void gone(struct house *h)
{
    quire_session *s;
    unsigned flags[] = {0, QUIRE_SESSION_READ};
    size_t i;

    for (i = 0; i < 2; i++) {
        house_write(h, "s.jsonl", HEADER A);
        s = house_open_session(h, "s.jsonl", 0);
        OK(quire_session_flush(s, &test_err));
        YES(quire_session_park(s));
        OK(log_remove(h->store->logs, "s.jsonl", &test_err));
        IS(QUIRE_CHANGED, resume(h, s, flags[i]));
        HAS(test_err.what, "removed");
        house_write(h, "s.jsonl", HEADER A B);
        IS(QUIRE_CHANGED, resume(h, s, flags[i]));
        quire_session_close(s);
    }
}

TEST(a_parked_session_whose_file_was_replaced_is_not_resumed)
{
    house_each(gone);
}

/* At once, while an earlier look at the name is still recent. */
static void moved(struct house *h)
{
    unsigned flags[] = {0, QUIRE_SESSION_READ};
    quire_session *s;
    size_t i;

    for (i = 0; i < 2; i++) {
        house_write(h, "s.jsonl", HEADER A);
        s = house_open_session(h, "s.jsonl", 0);
        say(s, "user", "b");
        OK(quire_session_flush(s, &test_err));
        YES(quire_session_park(s));
        OK(log_rename(h->store->logs, "s.jsonl", "archive.jsonl", &test_err));
        IS(QUIRE_CHANGED, resume(h, s, flags[i]));
        quire_session_close(s);
        OK(log_remove(h->store->logs, "archive.jsonl", &test_err));
    }
}

TEST(a_parked_session_whose_file_was_just_moved_is_not_resumed)
{
    house_each(moved);
}

TEST(a_parked_session_takes_little_memory)
{
    struct house h;
    quire_session *s;
    uint64_t before;
    int i;

    house_open(&h, true);
    s = house_new(&h, "s.jsonl", QUIRE_SESSION_AT_ONCE);
    for (i = 0; i < 1000; i++)
        say(s, "user", "some words of a message that has a usual length");
    OK(quire_session_flush(s, &test_err));
    before = quire_session_memory(s);
    YES(quire_session_park(s));
    YES(quire_session_memory(s) <= before);
    YES(quire_session_memory(s) < 1000 * 100);
    quire_session_close(s);
    house_close(&h);
}
