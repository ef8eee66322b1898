/*
 * Conversations through the public header, as they lie on the disk: which ones
 * are found, what is written when, and what is refused.
 */
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "store/store.h"
#include "support/test.h"

#define PLAIN                                                               \
    "[\n  {\n    \"timestamp\": \"2026-11-16 10:20:30.5\",\n    \"type\": " \
    "\"tool_call_response\",\n    \"id\": \"1\",\n    \"content\": "        \
    "\"b2s=\"\n  }\n]\n"
#define MOVED                                                                 \
    "[\n  {\n    \"timestamp\": \"2026-11-16 10:20:30.5\",\n    \"type\": "   \
    "\"tool_call_response\",\n    \"id\": \"1\",\n    \"content\": [\n      " \
    "{\n        \"type\": \"text\",\n        \"content\": {\n          "      \
    "\"$blob\": "                                                             \
    "\"2689367b205c16ce32ed4200942b8b8b1e262dfc70d9bc9fbc77c49699a4f1df\",\n" \
    "          \"size\": 2\n        }\n      }\n    ]\n  }\n]\n"
#define BLOB              \
    "ws/.jp/blobs/26/89/" \
    "367b205c16ce32ed4200942b8b8b1e262dfc70d9bc9fbc77c49699a4f1df.blob.gz"
#define ONE "ws/.jp/conversations/17780000011-hello"

static void make_dirs(const char *path)
{
    char command[1024];

    snprintf(command, sizeof command, "mkdir -p '%s'", path);
    EQ(0, system(command));
}

static void make(const char *dir, const char *name, const char *text)
{
    char path[600];

    make_dirs(test_path(dir));
    snprintf(path, sizeof path, "%s/%s", dir, name);
    test_write_file(test_path(path), bytes_str(text));
}

static quire *open_at(const char *dir, unsigned flags)
{
    quire_options o = QUIRE_OPTIONS_INIT;
    char path[600];
    quire *q;

    OK(quire_conversation_store(test_path(dir), path, sizeof path, &test_err));
    o.blobs = path;
    o.layout = QUIRE_LAYOUT_LOOSE;
    o.flags = flags;
    o.busy_ms = 0;
    OK(quire_open(&o, &q, &test_err));
    return q;
}

static quire *scene(const char *events)
{
    make(ONE, "events.json", events);
    return open_at(ONE, 0);
}

static quire_bytes events(void)
{
    return test_read_file(test_path(ONE "/events.json"));
}

static quire_status externalize(quire *q)
{
    return quire_conversation_externalize(q, test_path(ONE), NULL, NULL,
                                          &test_err);
}

static quire_status hydrate(quire *q)
{
    return quire_conversation_hydrate(q, test_path(ONE), NULL, NULL, NULL, NULL,
                                      &test_err);
}

/* ---- out and back ------------------------------------------------------- */

TEST(a_conversation_is_externalized_and_hydrated_where_it_lies)
{
    quire *q = scene(PLAIN);
    quire_moved moved;

    OK(quire_conversation_externalize(q, test_path(ONE), NULL, &moved,
                                      &test_err));
    EQ(1, moved.payloads);
    EQ(1, moved.blobs);
    EQ(2, moved.bytes);
    YES(moved.changed);
    SAME(bytes_str(MOVED), events());
    YES(test_exists(test_path(BLOB)));
    OK(quire_conversation_hydrate(q, test_path(ONE "/events.json"), NULL, NULL,
                                  NULL, &moved, &test_err));
    EQ(1, moved.payloads);
    SAME(bytes_str(PLAIN), events());
    YES(test_exists(test_path(BLOB)));
    /* Once more: the blob is known. */
    OK(quire_conversation_externalize(q, test_path(ONE), NULL, &moved,
                                      &test_err));
    EQ(1, moved.payloads);
    EQ(0, moved.blobs);
    quire_close(q);
}

TEST(a_file_with_nothing_to_do_is_not_even_written)
{
    quire *q = scene(MOVED);
    struct stat before, after;
    quire_moved moved;

    YES(stat(test_path(ONE "/events.json"), &before) == 0);
    OK(quire_conversation_externalize(q, test_path(ONE), NULL, &moved,
                                      &test_err));
    NO(moved.changed);
    EQ(0, moved.payloads);
    YES(stat(test_path(ONE "/events.json"), &after) == 0);
    EQ(before.st_ino, after.st_ino);
    EQ(before.st_mtim.tv_nsec, after.st_mtim.tv_nsec);
    EQ(before.st_ctim.tv_nsec, after.st_ctim.tv_nsec);
    /* Nor is a store made for nothing. */
    NO(test_exists(test_path("ws/.jp/blobs")));
    quire_close(q);
}

TEST(the_mode_of_the_file_stays)
{
    quire *q = scene(PLAIN);
    struct stat st;

    EQ(0, chmod(test_path(ONE "/events.json"), 0640));
    OK(externalize(q));
    YES(stat(test_path(ONE "/events.json"), &st) == 0);
    EQ(0640, st.st_mode & 07777);
    NO(test_litter(test_dir()));
    quire_close(q);
}

static quire_status gather(void *ctx, quire_bytes bytes, quire_error *err)
{
    buf_add(ctx, bytes.data, bytes.len);
    return buf_status(ctx, "it", err);
}

TEST(hydrating_to_elsewhere_leaves_the_file_alone)
{
    quire *q = scene(PLAIN);
    struct buf b = BUF_INIT(4096);
    quire_moved moved;

    OK(externalize(q));
    OK(quire_conversation_hydrate(q, test_path(ONE), gather, &b, NULL, &moved,
                                  &test_err));
    SAME(bytes_str(PLAIN), buf_bytes(&b));
    NO(moved.changed);
    SAME(bytes_str(MOVED), events());
    quire_close(q);
    /* To read takes no more than to be allowed to read. */
    buf_clear(&b);
    q = open_at(ONE, QUIRE_READ_ONLY);
    OK(quire_conversation_hydrate(q, test_path(ONE), gather, &b, NULL, NULL,
                                  &test_err));
    SAME(bytes_str(PLAIN), buf_bytes(&b));
    IS(QUIRE_INVALID, hydrate(q));
    IS(QUIRE_INVALID, externalize(q));
    SAME(bytes_str(MOVED), events());
    buf_release(&b);
    quire_close(q);
}

/* ---- what is refused ---------------------------------------------------- */

TEST(what_is_not_json_is_refused_and_left_as_it_is)
{
    quire *q = scene("[\n{\"type\":\n]");

    IS(QUIRE_DAMAGED, externalize(q));
    HAS(test_err.what, "line 3, byte 1");
    IS(QUIRE_DAMAGED, hydrate(q));
    SAME(bytes_str("[\n{\"type\":\n]"), events());
    NO(test_exists(test_path("ws/.jp/blobs")));
    quire_close(q);
}

TEST(a_link_is_refused)
{
    quire *q = scene(PLAIN);

    EQ(0, rename(test_path(ONE "/events.json"), test_path("real.json")));
    EQ(0, symlink(test_path("real.json"), test_path(ONE "/events.json")));
    IS(QUIRE_INVALID, externalize(q));
    HAS(test_err.what, "is a symbolic link");
    IS(QUIRE_INVALID, hydrate(q));
    SAME(bytes_str(PLAIN), test_read_file(test_path("real.json")));
    quire_close(q);
}

TEST(pairs_of_before_are_named_and_left_alone)
{
    quire *q;

    make(ONE, "messages.json", "[{\"message\":\"a\",\"reply\":\"b\"}]");
    q = open_at(ONE, 0);
    IS(QUIRE_INVALID, externalize(q));
    HAS(test_err.what, "before December 2025");
    IS(QUIRE_INVALID, hydrate(q));
    quire_close(q);
}

TEST(a_conversation_without_events_is_not_found)
{
    quire *q;

    make(ONE, "metadata.json", "{}");
    q = open_at(ONE, 0);
    IS(QUIRE_NOT_FOUND, externalize(q));
    HAS(test_err.what, "has no events.json");
    quire_close(q);
}

TEST(a_conversation_that_jp_works_on_is_left_to_it)
{
    static const char *const locks[] = {"jp-c17780000011.lock",
                                        "17780000011.lock"};
    char path[300];
    size_t i;

    for (i = 0; i < 2; i++) {
        quire *q = scene(PLAIN);
        int fd;

        make("ws/.jp/locks", locks[i], "{\"pid\":1}");
        snprintf(path, sizeof path, "ws/.jp/locks/%s", locks[i]);
        fd = open(test_path(path), O_RDWR | O_CLOEXEC);
        YES(fd >= 0);
        EQ(0, flock(fd, LOCK_EX));
        IS(QUIRE_BUSY, externalize(q));
        HAS(test_err.what, locks[i]);
        SAME(bytes_str(PLAIN), events());
        close(fd);
        OK(externalize(q));
        OK(hydrate(q));
        /* It is JP's to remove. */
        YES(test_exists(test_path(path)));
        quire_close(q);
        EQ(0, unlink(test_path(path)));
    }
}

TEST(we_hold_the_lock_of_jp_while_we_write)
{
    quire *q = scene(PLAIN);
    int fd;

    make("ws/.jp/locks", "jp-c17780000011.lock", "");
    OK(externalize(q));
    fd = open(test_path("ws/.jp/locks/jp-c17780000011.lock"),
              O_RDWR | O_CLOEXEC);
    EQ(0, flock(fd, LOCK_EX | LOCK_NB)); /* and no longer */
    close(fd);
    quire_close(q);
}

/* Somebody else writes in the middle: heard by the trace of the calls. */
static int n_trace;

static void rewrite_once(void *ctx, const char *line)
{
    (void)line;
    if (n_trace++ == 0)
        test_write_file(ctx, bytes_str("[1]\n"));
}

static void replace_once(void *ctx, const char *line)
{
    char other[600];

    (void)line;
    if (n_trace++ != 0)
        return;
    snprintf(other, sizeof other, "%s.tmp", (const char *)ctx);
    test_write_file(other, bytes_str(PLAIN));
    EQ(0, rename(other, ctx));
}

static void changed_meanwhile(void (*trace)(void *, const char *),
                              const char *after)
{
    quire_options o = QUIRE_OPTIONS_INIT;
    char path[600], file[600];
    quire *q;

    make(ONE, "events.json", PLAIN);
    OK(quire_conversation_store(test_path(ONE), path, sizeof path, &test_err));
    snprintf(file, sizeof file, "%s", test_path(ONE "/events.json"));
    o.blobs = path;
    o.layout = QUIRE_LAYOUT_LOOSE;
    o.trace = trace;
    o.trace_ctx = file;
    OK(quire_open(&o, &q, &test_err));
    n_trace = 0;
    IS(QUIRE_CHANGED, externalize(q));
    HAS(test_err.what, "has been changed meanwhile");
    YES(n_trace > 0);
    SAME(bytes_str(after), events());
    NO(test_litter(test_dir()));
    quire_close(q);
}

TEST(a_file_that_was_written_to_meanwhile_is_left_alone)
{
    changed_meanwhile(rewrite_once, "[1]\n");
}

TEST(a_file_that_was_replaced_meanwhile_is_left_alone_though_it_says_the_same)
{
    changed_meanwhile(replace_once, PLAIN);
}

/* What a collection asks for before it removes anything. */
static quire_status collector_may(void)
{
    struct store *store;
    quire_status st;

    OK(store_files_open(test_path("ws/.jp/blobs"), false, &store, &test_err));
    st = lease_lock(store->leases, LEASE_EXCLUSIVE, 0, NULL);
    store_free(store);
    return st;
}

static void ask_after_commit(void *ctx, const char *line)
{
    if (!strstr(line, "object commit"))
        return;
    ++*(int *)ctx;
    /* The blobs are there, and nothing says so yet. */
    SAME(bytes_str(PLAIN), events());
    IS(QUIRE_BUSY, collector_may());
}

TEST(no_collection_comes_between_a_blob_and_the_file_that_names_it)
{
    quire_options o = QUIRE_OPTIONS_INIT;
    char path[600];
    int asked = 0;
    quire *q;

    make(ONE, "events.json", PLAIN);
    OK(quire_conversation_store(test_path(ONE), path, sizeof path, &test_err));
    o.blobs = path;
    o.layout = QUIRE_LAYOUT_LOOSE;
    o.trace = ask_after_commit;
    o.trace_ctx = &asked;
    OK(quire_open(&o, &q, &test_err));
    OK(externalize(q));
    EQ(1, asked);
    SAME(bytes_str(MOVED), events());
    OK(collector_may());
    quire_close(q);
}

TEST(a_batch_is_not_mixed_with_it)
{
    quire *q = scene(PLAIN);

    OK(quire_begin(q, &test_err));
    IS(QUIRE_INVALID, externalize(q));
    HAS(test_err.what, "transaction");
    quire_rollback(q);
    OK(externalize(q));
    quire_close(q);
}

/* ---- damage ------------------------------------------------------------- */

static quire_status note(void *ctx, const quire_problem *problem,
                         quire_error *err)
{
    (void)err;
    buf_addf(ctx, "%s ", problem->kind);
    YES(problem->where[0] == '/');
    return QUIRE_OK;
}

TEST(nothing_is_written_if_a_blob_is_missing_or_damaged)
{
    quire *q = scene(PLAIN);
    struct buf said = BUF_INIT(4096);
    quire_check_hooks hooks = {.size = sizeof hooks,
                               .problem = note,
                               .ctx = &said};
    quire_bytes whole;
    quire_moved moved;

    OK(externalize(q));
    whole = test_read_file(test_path(BLOB));
    EQ(0, unlink(test_path(BLOB)));
    IS(QUIRE_DAMAGED, quire_conversation_hydrate(q, test_path(ONE), NULL, NULL,
                                                 &hooks, &moved, &test_err));
    EQ(1, moved.problems);
    EQ(0, moved.payloads);
    ((char *)(uintptr_t)whole.data)[whole.len - 6] ^= 1;
    test_write_file(test_path(BLOB), whole);
    IS(QUIRE_DAMAGED, quire_conversation_hydrate(q, test_path(ONE), NULL, NULL,
                                                 &hooks, NULL, &test_err));
    SAME_TEXT("missing damaged ", buf_text(&said));
    SAME(bytes_str(MOVED), events());
    buf_release(&said);
    quire_close(q);
}

/* ---- places ------------------------------------------------------------- */

static quire_status add_place(void *ctx, const quire_conversation *one,
                              quire_error *err)
{
    (void)err;
    buf_addf(ctx, "%s/%d/%s/%llu/%s;", one->id, (int)one->state, one->title,
             (unsigned long long)one->events, one->problem ? "!" : "");
    return QUIRE_OK;
}

static const char *places(const char *dir)
{
    struct buf b = BUF_INIT(8192);
    char *text;

    OK(quire_conversation_list(test_path(dir), QUIRE_CONVERSATION_DETAILS,
                               add_place, &b, &test_err));
    buf_text(&b);
    text = test_alloc(b.len + 1);
    memcpy(text, b.data, b.len + 1);
    buf_release(&b);
    return text;
}

static void many_places(void)
{
    make(ONE, "events.json", PLAIN);
    make(ONE, "metadata.json", "{\"title\":\"Hello\"}");
    make("ws/.jp/conversations/17780000012", "events.json", "[{]");
    make("ws/.jp/conversations/.archive/17780000001-old", "messages.json",
         "[{\"message\":\"a\",\"timestamp\":\"2025-01-01T00:00:00Z\"}]");
    make("ws/.jp/conversations/.trash/17780000002", "metadata.json", "{}");
    make("ws/.jp/conversations/.trash/17780000002", "TRASHED.md", "why");
    make("ws/.jp/conversations/no-conversation", "x", "");
    make("ws/.jp/conversations/.hidden", "events.json", "[]");
}

TEST(conversations_are_found_from_wherever_one_points)
{
    static const char all[] =
        "jp-c17780000011/0/Hello/1/;jp-c17780000012/0//0/!;"
        "jp-c17780000001/1//1/;jp-c17780000002/2//0/!;";

    many_places();
    SAME_TEXT(all, places("ws"));
    SAME_TEXT(all, places("ws/.jp"));
    SAME_TEXT(all, places("ws/.jp/conversations"));
    SAME_TEXT("jp-c17780000001/1//1/;",
              places("ws/.jp/conversations/.archive"));
    SAME_TEXT("jp-c17780000011/0/Hello/1/;", places(ONE));
    SAME_TEXT("jp-c17780000011/0/Hello/1/;", places(ONE "/metadata.json"));
    IS(QUIRE_NOT_FOUND, quire_conversation_list(test_path("nowhere"), 0,
                                                add_place, NULL, &test_err));
    IS(QUIRE_NOT_FOUND,
       quire_conversation_list(test_path("ws/.jp/conversations/.hidden/.."
                                         "/no-conversation"),
                               0, add_place, NULL, &test_err));
}

TEST(each_location_has_its_own_store)
{
    static char real[PATH_MAX], want[PATH_MAX + 8];
    char path[600];

    many_places();
    YES(realpath(test_path("ws/.jp"), real) != NULL);
    snprintf(want, sizeof want, "%s/blobs", real);
    OK(quire_conversation_store(test_path("ws"), path, sizeof path, &test_err));
    SAME_TEXT(want, path);
    OK(quire_conversation_store(test_path(
                                    "ws/.jp/conversations/.trash/17780000002"),
                                path, sizeof path, &test_err));
    SAME_TEXT(want, path);
    make("data/workspace/ws-ab12c/conversations/1-x", "events.json", "[]");
    OK(quire_conversation_store(
        test_path("data/workspace/ws-ab12c/conversations/1-x"), path,
        sizeof path, &test_err));
    HAS(path, "/data/workspace/ws-ab12c/blobs");
    make("alone", "events.json", "[]");
    IS(QUIRE_NOT_FOUND, quire_conversation_store(test_path("alone"), path,
                                                 sizeof path, &test_err));
    HAS(test_err.next, "--store");
    IS(QUIRE_INVALID,
       quire_conversation_store(test_path("ws"), path, 3, &test_err));
}

/* ---- files -------------------------------------------------------------- */

static quire_status add_file(void *ctx, const quire_conversation_file *file,
                             quire_error *err)
{
    (void)err;
    buf_addf(ctx, "%s%s%s\n",
             file->missing ? "!"
             : file->blob  ? "*"
                           : "",
             strstr(file->path, ".jp/"), "");
    return QUIRE_OK;
}

TEST(the_files_of_a_conversation_are_listed_once)
{
    quire *q = scene("[{\"type\":\"tool_call_response\",\"content\":\"b2s=\"},"
                     "{\"type\":\"tool_call_response\",\"content\":\"b2s=\"},"
                     "{\"type\":\"new\",\"deep\":[{\"$blob\":"
                     "\"0123456789abcdef0123456789abcdef0123456789abcdef"
                     "0123456789abcdef\"}]}]");
    struct buf b = BUF_INIT(8192);

    make(ONE, "metadata.json", "{}");
    make(ONE, "base_config.json", "{}");
    make(ONE, "notes.txt", "");
    make(ONE, "events.json.tmp", "");
    OK(externalize(q));
    OK(quire_conversation_files(q, test_path(ONE), add_file, &b, &test_err));
    SAME_TEXT(".jp/conversations/17780000011-hello/base_config.json\n"
              ".jp/conversations/17780000011-hello/events.json\n"
              ".jp/conversations/17780000011-hello/metadata.json\n"
              "*.jp/blobs/26/89/367b205c16ce32ed4200942b8b8b1e262dfc70d9bc9fbc"
              "77c49699a4f1df.blob.gz\n"
              "!.jp/blobs/01/23/456789abcdef0123456789abcdef0123456789abcdef"
              "0123456789abcdef.blob.gz\n",
              buf_text(&b));
    buf_release(&b);
    quire_close(q);
}

/* ---- print -------------------------------------------------------------- */

static quire_status add_part(void *ctx, const quire_part *part,
                             quire_error *err)
{
    (void)err;
    buf_addf(ctx, "%llu %s", (unsigned long long)part->turn, part->kind);
    if (part->label.len)
        buf_addf(ctx, "[%.*s]", (int)part->label.len,
                 (const char *)part->label.data);
    buf_addf(ctx, "%s%llu:%.*s\n", part->missing ? "!" : "=",
             (unsigned long long)part->bytes, (int)part->text.len,
             part->text.len ? (const char *)part->text.data : "");
    return QUIRE_OK;
}

static void prints(quire *q, quire_print_style style, uint64_t first,
                   uint64_t last, uint64_t tail, const char *want)
{
    quire_print_options o = QUIRE_PRINT_OPTIONS_INIT;
    struct buf b = BUF_INIT(8192);

    o.style = style;
    o.first = first;
    o.last = last;
    o.tail = tail;
    OK(quire_conversation_print(q, test_path(ONE), &o, NULL, add_part, &b,
                                &test_err));
    buf_add(&b, "", 0);
    SAME_TEXT(want, b.len ? buf_text(&b) : "");
    buf_release(&b);
}

#define TALK                                                                     \
    "[{\"type\":\"turn_start\"},{\"type\":\"chat_request\",\"content\":\"one\"," \
    "\"author\":\"me\",\"resources\":[{\"uri\":\"u\",\"text\":\"attached\"}]},"  \
    "{\"type\":\"chat_response\",\"reasoning\":\"hm\"},"                         \
    "{\"type\":\"tool_call_request\",\"id\":\"x\",\"name\":\"ls\","              \
    "\"arguments\":{\"dir\":\"L3RtcA==\"}},"                                     \
    "{\"type\":\"tool_call_response\",\"id\":\"x\",\"content\":\"Ymlu\"},"       \
    "{\"type\":\"config_delta\",\"delta\":{}},{\"type\":\"unheard_of\"},"        \
    "{\"type\":\"turn_start\"},{\"type\":\"chat_request\",\"content\":\"two\"}," \
    "{\"type\":\"tool_call_response\",\"id\":\"y\",\"is_error\":true,"           \
    "\"content\":[{\"type\":\"text\",\"text\":\"oh\"}]},"                        \
    "{\"type\":\"chat_response\",\"message\":\"done\"},"                         \
    "{\"type\":\"compaction\",\"from_turn\":0,\"to_turn\":1,\"summary\":"        \
    "{\"summary\":\"short\"}}]"

TEST(a_conversation_is_read_with_its_content_wherever_that_lies)
{
    static const char full[] =
        "1 user[me]=3:one\n1 resource[u]=8:attached\n1 reasoning=2:hm\n"
        "1 call[ls]=19:{\n  \"dir\": \"/tmp\"\n}\n1 result[ls]=3:bin\n"
        "2 user=3:two\n2 error=2:oh\n2 assistant=4:done\n"
        "2 compaction[turns 0 to 1]=5:short\n";
    quire *q = scene(TALK);

    prints(q, QUIRE_PRINT_FULL, 1, 0, 0, full);
    OK(externalize(q));
    prints(q, QUIRE_PRINT_FULL, 1, 0, 0, full);
    prints(q, QUIRE_PRINT_USER, 1, 0, 0, "1 user[me]=3:one\n2 user=3:two\n");
    prints(q, QUIRE_PRINT_CHAT, 1, 0, 0,
           "1 user[me]=3:one\n2 user=3:two\n2 assistant=4:done\n");
    prints(q, QUIRE_PRINT_CHAT, 2, 2, 0, "2 user=3:two\n2 assistant=4:done\n");
    prints(q, QUIRE_PRINT_CHAT, 1, 0, 1, "2 user=3:two\n2 assistant=4:done\n");
    prints(q, QUIRE_PRINT_USER, 1, 1, 0, "1 user[me]=3:one\n");
    prints(q, QUIRE_PRINT_USER, 3, 0, 0, "");
    quire_close(q);
}

TEST(a_brief_look_opens_no_blob)
{
    quire *q = scene(TALK);
    char command[700];

    OK(externalize(q));
    quire_close(q);
    snprintf(command, sizeof command, "rm -r '%s'", test_path("ws/.jp/blobs"));
    EQ(0, system(command));
    q = open_at(ONE, QUIRE_READ_ONLY);
    prints(q, QUIRE_PRINT_BRIEF, 1, 0, 0,
           "1 user[me]=3:one\n1 resource[u]=8:\n1 call[ls]=0:\n"
           "1 result[ls]=3:\n2 user=3:two\n2 error=2:\n2 assistant=4:done\n");
    prints(
        q, QUIRE_PRINT_FULL, 1, 1, 0,
        "1 user[me]=3:one\n1 resource[u]!89:blob 55d9067ef2bfacd4dc38ef7294695794ff61bba45f11b2f4d9b70515c57b2187 is not in the "
        "store\n1 reasoning=2:hm\n"
        "1 call[ls]=19:{\n  \"dir\": \"/tmp\"\n}\n1 result[ls]!89:blob "
        "51a1f05af85e342e3c849b47d387086476282d5f50dc240c19216d6edfb1eb5a "
        "is not in the store\n");
    quire_close(q);
}

TEST(pairs_of_before_can_be_read)
{
    quire *q;

    make(ONE, "messages.json",
         "[{\"message\":{\"query\":\"a\"},\"reply\":{\"content\":\"b\","
         "\"reasoning\":\"r\"}},{\"message\":\"c\",\"reply\":null}]");
    q = open_at(ONE, QUIRE_READ_ONLY);
    prints(q, QUIRE_PRINT_FULL, 1, 0, 0,
           "1 user=1:a\n1 reasoning=1:r\n1 assistant=1:b\n2 user=1:c\n");
    prints(q, QUIRE_PRINT_USER, 2, 0, 0, "2 user=1:c\n");
    quire_close(q);
}
