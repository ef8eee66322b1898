/* Appending: what is written, when, and what is refused. */
#include <stdio.h>
#include <string.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/bytes.h"
#include "support/session.h"

static void deferred(struct house *h)
{
    quire_session *s = house_new(h, "d/f", 0);

    say(s, "user", "question");
    NO(house_has(h, "d/f"));
    HAS(context_of(s, NULL), "question");
    say(s, "assistant", "answer");
    YES(house_has(h, "d/f"));
    HAS((const char *)house_read(h, "d/f").data, "question");
    say(s, "user", "more");
    HAS((const char *)house_read(h, "d/f").data, "more");
    OK(quire_session_flush(s, &test_err));
    quire_session_close(s);
    s = house_open_session(h, "d/f", QUIRE_SESSION_READ);
    HAS(context_of(s, NULL), "more");
    quire_session_close(s);
}

TEST(a_file_appears_with_the_first_answer)
{
    house_each(deferred);
}

static void at_once(struct house *h)
{
    quire_session *s = house_new(h, "d/f", QUIRE_SESSION_AT_ONCE);

    SAME(bytes_str(HEADER), house_read(h, "d/f"));
    say(s, "user", "question");
    HAS((const char *)house_read(h, "d/f").data, "question");
    quire_session_close(s);
}

TEST(a_file_appears_at_once_when_that_is_asked_for)
{
    house_each(at_once);
}

static void never(struct house *h)
{
    quire_session *s = house_new(h, "d/f", QUIRE_SESSION_MEMORY);
    quire_session_info info;

    say(s, "assistant", "answer");
    OK(quire_session_flush(s, &test_err));
    quire_session_describe(s, &info);
    YES(info.path == NULL);
    NO(house_has(h, "d/f"));
    HAS(all_entries(s), "answer");
    quire_session_close(s);
}

TEST(a_session_in_memory_is_never_written)
{
    house_each(never);
}

static void spelled(struct house *h)
{
    quire_session *s = house_new(h, "f", QUIRE_SESSION_AT_ONCE);
    const char *all;

    put(s, "{\"type\":\"x\",\"id\":\"a1\",\"parentId\":null,"
           "\"timestamp\":\"2026-01-01T00:00:00.000Z\",\"n\":1e-07}");
    put(s, " { \"n\" : 1.50 ,\n \"type\" : \"x\" ,\"id\":\"b1\", "
           "\"z\":\"\\u00e9\" } ");
    put(s, "{\"type\":\"x\",\"k\":[1,\n2],\"k\":3}\n");
    all = all_entries(s);
    HAS(all, "{\"type\":\"x\",\"id\":\"a1\",\"parentId\":null,\"timestamp\":"
             "\"2026-01-01T00:00:00.000Z\",\"n\":1e-07}\n");
    HAS(all, "{\"type\":\"x\",\"id\":\"b1\",\"parentId\":\"a1\"");
    HAS(all, ",\"n\" : 1.50,\"z\":\"\\u00e9\"}\n");
    HAS(all, ",\"k\":[1, 2],\"k\":3}\n");
    quire_session_close(s);
    SAME_TEXT("", problems_of(h, "f"));
}

TEST(what_is_given_is_written_as_it_was_spelled_on_one_line)
{
    house_each(spelled);
}

static void refused(struct house *h)
{
    static const char *const bad[] = {
        "",
        "null",
        "[]",
        "{}",
        "{\"type\":7}",
        "{\"type\":\"\"}",
        "{\"type\":\"x\"",
        "{\"type\":\"x\"} junk",
        "{\"type\":\"x\",\"id\":7}",
        "{\"type\":\"x\",\"id\":\"\"}",
        "{\"type\":\"x\",\"parentId\":7}",
        "{\"type\":\"session\",\"id\":\"s2\"}",
    };
    quire_session *s = house_new(h, "f", QUIRE_SESSION_AT_ONCE);
    quire_bytes was = house_read(h, "f");
    size_t i;

    for (i = 0; i < sizeof bad / sizeof *bad; i++) {
        IS(QUIRE_INVALID,
           quire_session_append(s, bytes_str(bad[i]), NULL, NULL, &test_err));
        HAS(test_err.what, "invalid entry");
    }
    IS(QUIRE_NOT_FOUND,
       quire_session_append(s,
                            bytes_str("{\"type\":\"x\",\"parentId\":\"gone\"}"),
                            NULL, NULL, &test_err));
    SAME(was, house_read(h, "f"));
    put(s, "{\"type\":\"x\",\"id\":\"a\"}");
    IS(QUIRE_EXISTS, quire_session_append(s,
                                          bytes_str("{\"type\":\"x\",\"id\":"
                                                    "\"a\"}"),
                                          NULL, NULL, &test_err));
    put(s, "{\"type\":\"x\"}"); /* nothing of that latched */
    quire_session_close(s);
}

TEST(what_is_no_entry_is_refused_and_nothing_is_written)
{
    house_each(refused);
}

static void expected(struct house *h)
{
    quire_append_options o = QUIRE_APPEND_OPTIONS_INIT;
    quire_session *s = house_new(h, "f", QUIRE_SESSION_AT_ONCE);
    quire_bytes x = bytes_str("{\"type\":\"x\",\"id\":\"a\"}");
    quire_bytes y = bytes_str("{\"type\":\"x\",\"id\":\"b\"}");

    o.expect = "a";
    IS(QUIRE_CHANGED, quire_session_append(s, x, &o, NULL, &test_err));
    HAS(test_err.what, "root");
    o.expect = "root";
    OK(quire_session_append(s, x, &o, NULL, &test_err));
    IS(QUIRE_CHANGED, quire_session_append(s, y, &o, NULL, &test_err));
    o.expect = "a";
    OK(quire_session_append(s, y, &o, NULL, &test_err));
    SAME_TEXT("a b", path_of(s, NULL));
    quire_session_close(s);
}

TEST(an_append_that_expects_another_leaf_is_refused)
{
    house_each(expected);
}

static void done_once(struct house *h)
{
    quire_append_options o = QUIRE_APPEND_OPTIONS_INIT;
    quire_session *s = house_new(h, "f", QUIRE_SESSION_AT_ONCE);
    quire_bytes x = bytes_str("{\"type\":\"x\"}");
    quire_appended first, again;
    const char *y;

    o.op = "retry \"1\"";
    OK(quire_session_append(s, x, &o, &first, &test_err));
    NO(first.existed);
    y = put(s, "{\"type\":\"y\"}");
    quire_session_close(s);
    s = house_open_session(h, "f", 0);
    OK(quire_session_append(s, x, &o, &again, &test_err));
    YES(again.existed);
    SAME_TEXT(first.id, again.id);
    o.op = "another";
    OK(quire_session_append(s, x, &o, &again, &test_err));
    NO(again.existed);
    SAME_TEXT(y, again.parent); /* the retry has not moved the leaf */
    quire_session_close(s);
}

TEST(an_operation_that_was_done_is_not_done_again)
{
    house_each(done_once);
}

static void done_otherwise(struct house *h)
{
    static const char *const same[] = {
        "{\"type\":\"x\",\"a\":{\"b\":\"\u00e9\",\"c\":[1,null]}}",
        "{\"a\": {\"c\":\n[1, null], \"b\":\"\\u00e9\"}, \"type\":\"x\"}",
        ("{\"type\":\"x\",\"timestamp\":\"2026-01-01T00:00:00.000Z\","
         "\"a\":{\"b\":\"\u00e9\",\"c\":[1,null]}}"),
    };
    static const char *const other[] = {
        "{\"type\":\"x\"}",
        "{\"type\":\"y\",\"a\":{\"b\":\"\u00e9\",\"c\":[1,null]}}",
        "{\"type\":\"x\",\"a\":{\"b\":\"e\",\"c\":[1,null]}}",
        "{\"type\":\"x\",\"a\":{\"b\":\"\u00e9\",\"c\":[null,1]}}",
        "{\"type\":\"x\",\"a\":{\"b\":\"\u00e9\",\"c\":[1]}}",
        ("{\"type\":\"x\",\"id\":\"mine\",\"a\":{\"b\":\"\u00e9\","
         "\"c\":[1,null]}}"),
    };
    quire_append_options o = QUIRE_APPEND_OPTIONS_INIT;
    quire_session *s = house_new(h, "f", QUIRE_SESSION_AT_ONCE);
    quire_appended done;
    size_t i;

    o.op = "o";
    for (i = 0; i < sizeof same / sizeof *same; i++) {
        OK(quire_session_append(s, bytes_str(same[i]), &o, &done, &test_err));
        EQ(i > 0, done.existed);
    }
    for (i = 0; i < sizeof other / sizeof *other; i++)
        IS(QUIRE_EXISTS,
           quire_session_append(s, bytes_str(other[i]), &o, &done, &test_err));
    quire_session_close(s);
}

TEST(an_operation_that_was_done_is_not_taken_for_another)
{
    house_each(done_otherwise);
}

static void placed(struct house *h)
{
    quire_append_options o = QUIRE_APPEND_OPTIONS_INIT;
    quire_session *s = house_new(h, "f", QUIRE_SESSION_AT_ONCE);

    put(s, "{\"type\":\"x\",\"id\":\"a\"}");
    put(s, "{\"type\":\"x\",\"id\":\"b\"}");
    o.at = "a";
    OK(quire_session_append(s, bytes_str("{\"type\":\"x\",\"id\":\"c\"}"), &o,
                            NULL, &test_err));
    o.at = "root";
    OK(quire_session_append(s, bytes_str("{\"type\":\"x\",\"id\":\"d\"}"), &o,
                            NULL, &test_err));
    o.at = "gone";
    IS(QUIRE_NOT_FOUND, quire_session_append(s, bytes_str("{\"type\":\"x\"}"),
                                             &o, NULL, &test_err));
    put(s, "{\"type\":\"x\",\"id\":\"e\",\"parentId\":\"b\"}");
    SAME_TEXT("a(b(e*) c) d", tree_of(s));
    quire_session_close(s);
}

TEST(an_entry_goes_where_it_is_told)
{
    house_each(placed);
}

static void reading_only(struct house *h)
{
    quire_session *s;

    house_write(h, "f", HEADER);
    s = house_open_session(h, "f", QUIRE_SESSION_READ);
    IS(QUIRE_INVALID, quire_session_append(s, bytes_str("{\"type\":\"x\"}"),
                                           NULL, NULL, &test_err));
    IS(QUIRE_INVALID, quire_session_branch(s, NULL, true, NULL, &test_err));
    IS(QUIRE_INVALID, session_rename(s, "t", &test_err));
    quire_session_close(s);
    SAME(bytes_str(HEADER), house_read(h, "f"));
}

TEST(a_session_open_for_reading_is_never_written)
{
    house_each(reading_only);
}

static void images(struct house *h)
{
    quire_session *s = house_new(h, "f", QUIRE_SESSION_AT_ONCE);
    char *json = test_alloc(8192);
    size_t at;

    at = (size_t)sprintf(json,
                         "{\"type\":\"message\",\"message\":{\"role\":\"user\","
                         "\"content\":[{\"type\":\"image\",\"data\":\"");
    memset(json + at, 'A', 2048);
    at += 2048;
    sprintf(json + at, "\",\"mimeType\":\"image/png\"}]}}");
    put(s, json);
    HAS(all_entries(s), "\"data\":\"blob:sha256:");
    HAS(context_of(s, NULL), "\"data\":\"AAAAAAAA");
    quire_session_close(s);
    s = house_open_session(h, "f", QUIRE_SESSION_READ);
    HAS(context_of(s, NULL), "\"data\":\"AAAAAAAA");
    quire_session_close(s);
    SAME_TEXT("", problems_of(h, "f"));
}

TEST(an_image_becomes_a_blob_and_comes_back_in_a_context)
{
    house_each(images);
}

static void missing_note(void *ctx, const char *ref)
{
    (void)ref;
    ++*(int *)ctx;
}

static quire_status nothing(void *ctx, quire_bytes bytes, quire_error *err)
{
    (void)ctx;
    (void)bytes;
    (void)err;
    return QUIRE_OK;
}

static void lost_image(struct house *h)
{
    quire_session *s;
    int n = 0;

    house_write(h, "f",
                HEADER "{\"type\":\"message\",\"id\":\"a\",\"parentId\":null,"
                       "\"message\":{\"role\":\"user\",\"content\":[{\"type\":"
                       "\"image\",\"data\":\"blob:sha256:"
                       "00000000000000000000000000000000"
                       "00000000000000000000000000000000\"}]}}\n");
    s = house_open_session(h, "f", QUIRE_SESSION_READ);
    HAS(context_of(s, NULL), "\"data\":\"blob:sha256:0000");
    OK(quire_session_context(s, NULL, nothing, missing_note, &n, &test_err));
    EQ(1, n);
    quire_session_close(s);
    SAME_TEXT("missing_blob@2 ", problems_of(h, "f"));
}

TEST(an_image_whose_blob_is_gone_keeps_its_reference_and_is_told_of)
{
    house_each(lost_image);
}

/* Only what the entry itself lists: in the second one, references are text. */
static void lost_whole(struct house *h)
{
#define ZEROS "00000000000000000000000000000000"
    house_write(h, "f",
                HEADER "{\"type\":\"message\",\"id\":\"a\",\"parentId\":null,"
                       "\"quireWhole\":[\"blob:sha256:" ZEROS ZEROS "\"],"
                       "\"message\":{\"role\":\"user\",\"content\":[]}}\n"
                       "{\"type\":\"message\",\"id\":\"b\",\"parentId\":\"a\","
                       "\"message\":{\"role\":\"user\",\"content\":[\"text\"],"
                       "\"quireWhole\":[\"blob:sha256:" ZEROS ZEROS "\"],"
                       "\"other\":[\"blob:sha256:" ZEROS ZEROS "\"]},"
                       "\"other\":[\"blob:sha256:" ZEROS ZEROS "\"]}\n");
#undef ZEROS
    SAME_TEXT("missing_blob@2 ", problems_of(h, "f"));
}

TEST(the_missing_blob_of_a_long_string_is_a_problem)
{
    house_each(lost_whole);
}

static void foreign(struct house *h)
{
    quire_session *ours = house_new(h, "f", QUIRE_SESSION_AT_ONCE);
    quire_session *reader;
    struct object_info info;
    struct log *o;
    const char *theirs = "{\"type\":\"x\",\"id\":\"t1\",\"parentId\":\"a\"}";
    quire_appended out;

    put(ours, "{\"type\":\"x\",\"id\":\"a\"}");
    reader = house_open_session(h, "f", QUIRE_SESSION_READ);
    SAME_TEXT("a", leaf_of(reader));
    OK(log_open(h->store->logs, "f", LOG_APPEND, &o, &info, &test_err));
    OK(log_append(o, LOG_NO_EPOCH, info.size, bytes_str(theirs), &test_err));
    log_close(o);
    /* It has no line break yet, but it is an entry. */
    SAME_TEXT("t1", leaf_of(ours));
    OK(quire_session_append(ours, bytes_str("{\"type\":\"x\",\"id\":\"b\"}"),
                            NULL, &out, &test_err));
    SAME_TEXT("t1", out.parent);
    SAME_TEXT("a t1 b", path_of(reader, NULL));
    quire_session_close(ours);
    quire_session_close(reader);
    SAME_TEXT("", problems_of(h, "f"));
}

TEST(what_another_program_appended_is_taken_in)
{
    house_each(foreign);
}

static void replaced(struct house *h)
{
    quire_session *s = house_new(h, "f", QUIRE_SESSION_AT_ONCE);

    put(s, "{\"type\":\"x\",\"id\":\"a\"}");
    house_write(h, "f",
                HEADER "{\"type\":\"x\",\"id\":\"n\",\"parentId\":"
                       "null}\n");
    put(s, "{\"type\":\"x\",\"id\":\"b\"}");
    SAME_TEXT("n b", path_of(s, NULL));
    OK(log_remove(h->store->logs, "f", &test_err));
    IS(QUIRE_IO, quire_session_append(s, bytes_str("{\"type\":\"x\"}"), NULL,
                                      NULL, &test_err));
    HAS(test_err.what, "removed");
    quire_session_close(s);
}

TEST(a_file_that_was_replaced_is_read_anew_and_one_that_is_gone_is_told_of)
{
    house_each(replaced);
}

/* Move the file aside and put `text` in its place; .data NULL: nothing. The move
 * may go unnoticed by the append, but not by the flush. */
static quire_status append_and_move(struct house *h, quire_bytes text)
{
    quire_session *s = house_open_session(h, "f", 0);
    quire_bytes x = bytes_str("{\"type\":\"x\"}");
    quire_status st;

    put(s, "{\"type\":\"x\"}");
    OK(quire_session_flush(s, &test_err));
    OK(log_rename(h->store->logs, "f", "aside", &test_err));
    st = quire_session_append(s, x, NULL, NULL, &test_err);
    if (text.data)
        house_write_bytes(h, "f", text);
    if (!st)
        st = quire_session_flush(s, &test_err);
    quire_session_close(s);
    OK(log_remove(h->store->logs, "aside", &test_err));
    return st;
}

static void moved_aside(struct house *h)
{
    quire_bytes before;

    quire_session_close(house_new(h, "f", QUIRE_SESSION_AT_ONCE));
    before = house_read(h, "f");
    IS(QUIRE_IO, append_and_move(h, bytes_of(NULL, 0)));
    house_write_bytes(h, "f", before);
    /* QUIRE_IO if the append notices the move, else QUIRE_CHANGED. */
    NO(append_and_move(h, before) == QUIRE_OK);
}

TEST(an_append_to_a_file_that_was_moved_aside_is_not_acknowledged)
{
    house_each(moved_aside);
}

/* A file whose last line is cut off, and the mark of an append at `mark`. */
static bool leave_fragment(struct house *h, const char *mark)
{
    house_write(h, "f", HEADER "{\"type\":\"x\",\"id\":\"a\",\"par");
    return setxattr(test_path("home/f"), "user.quire.append", mark,
                    strlen(mark), 0) == 0;
}

TEST(what_an_append_left_that_did_not_end_is_removed_by_the_next)
{
    quire_session *s;
    struct house h;
    char mark[24];

    house_open(&h, true);
    snprintf(mark, sizeof mark, "%zu", strlen(HEADER));
    if (!leave_fragment(&h, mark)) {
        house_close(&h);
        SKIP("the file system has no extended attributes");
    }
    HAS(problems_of(&h, "f"), "unacknowledged@2");
    s = house_open_session(&h, "f", 0);
    put(s, "{\"type\":\"x\",\"id\":\"b\"}");
    SAME_TEXT("b", path_of(s, NULL));
    quire_session_close(s);
    SAME_TEXT("", problems_of(&h, "f"));
    NO(getxattr(test_path("home/f"), "user.quire.append", NULL, 0) >= 0);

    /* Without the mark of its own start it is damage, and stays. */
    YES(leave_fragment(&h, "3"));
    HAS(problems_of(&h, "f"), "torn@2");
    s = house_open_session(&h, "f", 0);
    put(s, "{\"type\":\"x\",\"id\":\"b\"}");
    quire_session_close(s);
    HAS(problems_of(&h, "f"), "torn@2");
    house_close(&h);
}

static void latched(struct house *h)
{
    quire_session *s = house_new(h, "f", QUIRE_SESSION_AT_ONCE);
    quire_bytes x = bytes_str("{\"type\":\"x\"}"), was;

    put(s, "{\"type\":\"x\"}");
    was = house_read(h, "f");
    h->fault = (struct fault){.left = 2, .status = QUIRE_IO}; /* look, extend */
    IS(QUIRE_IO, quire_session_append(s, x, NULL, NULL, &test_err));
    h->fault = (struct fault){0};
    IS(QUIRE_IO, quire_session_append(s, x, NULL, NULL, &test_err));
    IS(QUIRE_IO, quire_session_flush(s, &test_err));
    IS(QUIRE_IO, quire_session_label(s, leaf_of(s), "x", NULL, &test_err));
    quire_session_close(s);
    SAME(was, house_read(h, "f"));
    s = house_open_session(h, "f", 0);
    put(s, "{\"type\":\"x\"}");
    quire_session_close(s);
}

TEST(after_a_failed_write_the_error_stays_until_the_session_is_opened_again)
{
    house_each(latched);
}

TEST(a_second_writer_is_told_who_the_first_is)
{
    struct house h;
    quire_session *a, *b;
    struct session_place place;

    house_open(&h, true);
    a = house_new(&h, "f", QUIRE_SESSION_AT_ONCE);
    place = (struct session_place){.store = h.store, .name = "f"};
    IS(QUIRE_BUSY,
       session_open(&h.env, &place, NULL, 0, QUIRE_SYNC_FLUSH, &b, &test_err));
    HAS(test_err.what, "this process");
    quire_session_close(a);
    b = house_open_session(&h, "f", 0);
    quire_session_close(b);
    house_close(&h);
}

static void head_kept(struct house *h)
{
    quire_session *s = house_new(h, "f", QUIRE_SESSION_AT_ONCE);
    quire_appended out;

    put(s, "{\"type\":\"x\",\"id\":\"a\"}");
    put(s, "{\"type\":\"x\",\"id\":\"b\"}");
    OK(quire_session_branch(s, "a", true, &out, &test_err));
    SAME_TEXT("a", out.parent);
    quire_session_close(s);
    s = house_open_session(h, "f", 0);
    SAME_TEXT(out.id, leaf_of(s));
    HAS(all_entries(s), "quire/head");
    /* The leaf is the last line already: nothing to write. */
    OK(quire_session_branch(s, out.id, true, &out, &test_err));
    OK(quire_session_branch(s, NULL, true, &out, &test_err));
    SAME_TEXT("", out.parent);
    put(s, "{\"type\":\"x\",\"id\":\"c\"}");
    quire_session_close(s);
    s = house_open_session(h, "f", QUIRE_SESSION_READ);
    HAS(path_of(s, NULL), " c");
    NO(strstr(path_of(s, NULL), "a") == path_of(s, NULL));
    quire_session_close(s);
}

TEST(the_place_of_a_branch_outlives_the_process)
{
    house_each(head_kept);
}

static void summarised(struct house *h)
{
    quire_session *s = house_new(h, "f", QUIRE_SESSION_AT_ONCE);

    put(s, "{\"type\":\"x\",\"id\":\"a\"}");
    put(s, "{\"type\":\"x\",\"id\":\"b\"}");
    OK(quire_session_branch_summary(s, "a", "it \"failed\"",
                                    bytes_str("{\"n\":1}"), NULL, &test_err));
    HAS(all_entries(s), "\"fromId\":\"a\",\"summary\":\"it \\\"failed\\\"\","
                        "\"details\":{\"n\":1}}");
    OK(quire_session_branch_summary(s, NULL, "all over", bytes_of(NULL, 0),
                                    NULL, &test_err));
    HAS(all_entries(s), "\"fromId\":\"root\"");
    HAS(context_of(s, NULL), "\"role\":\"branchSummary\",\"summary\":\"all "
                             "over\",\"fromId\":\"root\",\"timestamp\":");
    quire_session_close(s);
}

TEST(a_branch_can_say_what_became_of_the_other)
{
    house_each(summarised);
}

static void awaited(struct house *h)
{
    quire_session *s;

    house_write(h, "f",
                HEADER "{\"type\":\"x\",\"id\":\"c\",\"parentId\":\"x\"}\n");
    s = house_open_session(h, "f", 0);
    IS(QUIRE_INVALID,
       quire_session_append(s, bytes_str("{\"type\":\"x\",\"id\":\"x\"}"), NULL,
                            NULL, &test_err));
    put(s, "{\"type\":\"x\",\"id\":\"x\",\"parentId\":null}");
    SAME_TEXT("x*(c)", tree_of(s));
    quire_session_close(s);
    SAME_TEXT("", problems_of(h, "f"));
}

TEST(an_entry_cannot_become_its_own_ancestor_but_an_orphan_finds_its_parent)
{
    house_each(awaited);
}

static void no_text(struct house *h)
{
    quire_append_options o = QUIRE_APPEND_OPTIONS_INIT;
    quire_session *s = house_new(h, "f", QUIRE_SESSION_AT_ONCE);

    IS(QUIRE_INVALID,
       quire_session_append(s, bytes_str("{\"type\":\"x\",\"t\":\"\xff\"}"),
                            NULL, NULL, &test_err));
    HAS(test_err.what, "byte 17");
    o.op = "";
    IS(QUIRE_INVALID, quire_session_append(s, bytes_str("{\"type\":\"x\"}"), &o,
                                           NULL, &test_err));
    quire_session_close(s);
    SAME(bytes_str(HEADER), house_read(h, "f"));
}

TEST(bytes_that_are_no_text_and_operations_without_a_name_are_refused)
{
    house_each(no_text);
}

/* The same before and after it is opened again, also when the reference was
 * given and not made. */
static void given_ref(struct house *h)
{
    quire_digest d = fix_put(&h->blobs, bytes_str("hello"));
    char ref[QUIRE_REF_SIZE], json[512];
    quire_session *s = house_new(h, "f", QUIRE_SESSION_AT_ONCE);
    const char *now;

    quire_ref_format(&d, ref);
    snprintf(json, sizeof json,
             "{\"type\":\"message\",\"message\":{\"role\":\"user\","
             "\"content\":[{\"type\":\"image\",\"data\":\"%s\"}]}}",
             ref);
    put(s, json);
    now = context_of(s, NULL);
    HAS(now, "\"data\":\"aGVsbG8=\"");
    quire_session_close(s);
    s = house_open_session(h, "f", QUIRE_SESSION_READ);
    SAME_TEXT(now, context_of(s, NULL));
    quire_session_close(s);
}

TEST(an_image_that_was_given_as_a_reference_comes_back_at_once)
{
    house_each(given_ref);
}

static quire_status note_ref(void *ctx, const char *ref, quire_error *err)
{
    (void)err;
    strcat(strcat(ctx, ref), " ");
    return QUIRE_OK;
}

static void every_ref(struct house *h)
{
    static const char hex[] = "0123456789abcdef0123456789abcdef"
                              "0123456789abcdef0123456789abcdef";
    quire_session *s = house_new(h, "f", QUIRE_SESSION_AT_ONCE);
    char json[512], seen[512] = "";

    snprintf(json, sizeof json,
             "{\"type\":\"x\",\"t\":\"see \\u0062lob:sha256:%s here\"}", hex);
    put(s, json);
    OK(quire_session_refs(s, note_ref, seen, &test_err));
    HAS(seen, hex);
    quire_session_close(s);
}

TEST(a_reference_is_found_wherever_it_stands_and_however_it_is_spelled)
{
    house_each(every_ref);
}
