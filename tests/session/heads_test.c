/* Heads of entries, and windows of a path. */
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "quire/view.h"
#include "session/head.h"
#include "support/session.h"

#define TIME "\"timestamp\":\"2026-02-16T10:21:00.000Z\""
#define LINE(id, parent)                                                    \
    "{\"type\":\"message\",\"id\":\"" id "\",\"parentId\":" parent "," TIME \
    ",\"message\":{\"role\":\"user\",\"content\":\"" id "\"}}\n"

/* "role/tool/model lines calls flags" of one line. */
static const char *head_of(const char *line)
{
    char *text = test_alloc(512);
    struct head h;

    if (!head_read(bytes_str(line), &h))
        return "bad";
    snprintf(text, 512, "%.*s %.*s/%.*s/%.*s %u %u %x", (int)h.type.len,
             (const char *)h.type.data, (int)h.role.len,
             (const char *)h.role.data, (int)h.tool.len,
             (const char *)h.tool.data, (int)h.model.len,
             (const char *)h.model.data, h.lines, h.calls, h.flags);
    return text;
}

TEST(a_head_says_what_a_line_is)
{
    SAME_TEXT("message user// 2 0 200",
              head_of("{\"type\":\"message\",\"message\":{\"role\":\"user\","
                      "\"content\":\"a\\nb\"}}"));
    SAME_TEXT("message assistant/bash/m 3 1 20c",
              head_of("{\"message\":{\"content\":[{\"type\":\"thinking\","
                      "\"thinking\":\"x\"},{\"text\":\"t\",\"type\":\"text\"},"
                      "{\"name\":\"bash\",\"type\":\"toolCall\",\"arguments\":"
                      "{\"name\":\"no\",\"type\":\"image\"}}],\"model\":\"m\","
                      "\"role\":\"assistant\"},\"type\":\"message\"}"));
    SAME_TEXT("message toolResult/edit/ 1 0 201",
              head_of("{\"type\":\"message\",\"message\":{\"role\":"
                      "\"toolResult\",\"toolName\":\"edit\",\"isError\":true,"
                      "\"content\":{\"type\":\"text\",\"text\":\"t\"}}}"));
    SAME_TEXT("message bashExecution// 1 0 1",
              head_of("{\"type\":\"message\",\"message\":{\"role\":"
                      "\"bashExecution\",\"output\":\"o\",\"exitCode\":2}}"));
    SAME_TEXT("compaction // 1 0 0",
              head_of("{\"type\":\"compaction\",\"summary\":\"s\"}"));
    SAME_TEXT("custom // 1 0 220",
              head_of("{\"type\":\"custom\",\"content\":\"s\"}"));
    SAME_TEXT("custom_message // 1 0 220",
              head_of("{\"type\":\"custom_message\",\"content\":\"s\","
                      "\"display\":false}"));
    /* Values of another kind are nothing. */
    SAME_TEXT(" // 0 0 20", head_of("{\"type\":7,\"message\":[1,{}],"
                                    "\"content\":null}"));
    SAME_TEXT(" // 0 0 20", head_of("{}"));
    SAME_TEXT("bad", head_of("[]"));
    SAME_TEXT("bad", head_of("{\"type\":\"message\",\"message\":{\"role\":"));
    SAME_TEXT("bad", head_of("{\"content\":[{\"type\":\"text\"]}"));
}

TEST(a_head_has_tools_that_edit_and_that_start_agents)
{
    SAME_TEXT("message /Edit/ 1 1 88",
              head_of("{\"type\":\"message\",\"content\":[{\"type\":"
                      "\"toolCall\",\"name\":\"Edit\"}]}"));
    SAME_TEXT("message /task/ 2 2 188",
              head_of("{\"type\":\"message\",\"content\":[{\"type\":"
                      "\"toolCall\",\"name\":\"task\"},{\"type\":\"toolCall\","
                      "\"name\":\"apply_patch\"}]}"));
}

TEST(tokens_and_money_are_in_a_head)
{
    struct head h;

    YES(head_read(bytes_str("{\"message\":{\"usage\":{\"input\":1,\"output\":"
                            "2,\"cacheRead\":3,\"cacheWrite\":4,\"cost\":"
                            "{\"total\":0.5}}}," TIME "}"),
                  &h));
    EQ(1, h.input);
    EQ(2, h.output);
    EQ(7, h.cache_read + h.cache_write);
    EQ(500000000, h.cost_nano_usd);
    EQ(INT64_C(1771237260000), h.time_ms);
}

/* ---- of a session -------------------------------------------------------- */

static quire_status add_head(void *ctx, const quire_head *head,
                             quire_error *err)
{
    (void)err;
    buf_addf(ctx, "%s%.*s", ((struct buf *)ctx)->len ? " " : "",
             (int)head->id.len, (const char *)head->id.data);
    if (head->parent != SIZE_MAX)
        buf_addf(ctx, "<%zu", head->parent);
    if (head->flags & ~(unsigned)QUIRE_HEAD_TEXT)
        buf_addf(ctx, ":%x", head->flags & ~(unsigned)QUIRE_HEAD_TEXT);
    return QUIRE_OK;
}

/* "id<parent:flags id ...", without QUIRE_HEAD_TEXT. */
static const char *heads_of(quire_session *s, size_t from)
{
    struct buf text = BUF_INIT(1 << 20);
    quire_heads_info info;
    char *copy;

    OK(quire_session_heads(s, from, &info, add_head, &text, &test_err));
    buf_add(&text, "", 1);
    copy = test_alloc(text.len);
    memcpy(copy, text.data, text.len);
    buf_release(&text);
    return copy;
}

static void grows(struct house *h)
{
    quire_session *s, *other;

    house_write(h, "s.jsonl", HEADER LINE("a", "null") LINE("b", "\"a\""));
    s = house_open_session(h, "s.jsonl", 0);
    SAME_TEXT("a b<0", heads_of(s, 0));
    put(s, "{\"type\":\"message\",\"id\":\"c\",\"message\":{\"role\":\"user\","
           "\"content\":\"c\"}}");
    SAME_TEXT("c<1", heads_of(s, 2));
    OK(quire_session_label(s, "a", "here", NULL, &test_err));
    YES(!strncmp("a:10 b<0 c<1 ", heads_of(s, 0), 13));
    OK(quire_session_flush(s, &test_err));
    /* A parked one keeps them, and what others write is added. */
    YES(quire_session_park(s));
    other = house_open_session(h, "s.jsonl", 0);
    put(other, "{\"type\":\"message\",\"id\":\"d\",\"parentId\":\"a\"}");
    OK(quire_session_flush(other, &test_err));
    quire_session_close(other);
    OK(session_resume(s, &h->env, QUIRE_SESSION_READ, QUIRE_SYNC_FLUSH,
                      &test_err));
    SAME_TEXT("d<0", heads_of(s, 4));
    quire_session_close(s);
}

TEST(heads_follow_a_session_that_grows)
{
    house_each(grows);
}

static void rewritten(struct house *h)
{
    quire_heads_info one, two;
    struct buf text = BUF_INIT(1 << 20);
    quire_bytes entry = bytes_str(
        "{\"type\":\"message\",\"id\":\"a\",\"parentId\":null,\"message\":"
        "{\"role\":\"assistant\",\"content\":[{\"type\":\"toolCall\"}]}}");
    quire_session *s;

    house_write(h, "s.jsonl",
                HEADER LINE("a", "null") LINE("b", "\"a\"") LINE("b", "\"a\""));
    s = house_open_session(h, "s.jsonl", 0);
    OK(quire_session_heads(s, 0, &one, add_head, &text, &test_err));
    SAME_TEXT("a b<0:40 b<0", heads_of(s, 0));
    OK(quire_session_rewrite(s, &entry, 1, NULL, &test_err));
    OK(quire_session_heads(s, 0, &two, add_head, &text, &test_err));
    SAME_TEXT("a:8 b<0:40 b<0", heads_of(s, 0));
    EQ(3, two.n);
    EQ(2, two.leaf);
    if (h->disk)
        YES(strcmp(one.generation, two.generation) != 0);
    buf_release(&text);
    quire_session_close(s);
}

TEST(heads_of_a_file_that_was_rewritten_are_its_new_ones)
{
    house_each(rewritten);
}

/* The quick scan takes the second line, which is not JSON. */
#define WRONG                                                     \
    "{\"type\":\"message\",\"id\":\"b\",\"parentId\":\"a\"," TIME \
    ",\"message\":{\"role\":\"user\",\"content\":[[}}\n"

static void wrong(struct house *h)
{
    quire_session *s;

    house_write(h, "s.jsonl",
                HEADER LINE("a", "null") WRONG LINE("c", "\"a\""));
    s = house_open_session(h, "s.jsonl", QUIRE_SESSION_READ);
    SAME_TEXT("a c<0", heads_of(s, 0));
    quire_session_close(s);
}

TEST(a_line_that_the_quick_scan_took_wrongly_has_no_head)
{
    house_each(wrong);
}

static quire_status add_tool(void *ctx, const quire_head *head,
                             quire_error *err)
{
    (void)err;
    buf_addf(ctx, "%s ", head->tool);
    return QUIRE_OK;
}

TEST(a_session_with_more_tools_than_fit_has_other)
{
    struct house h;
    quire_session *s;
    struct buf text = BUF_INIT(1 << 20);
    int i;

    house_open(&h, false);
    s = house_new(&h, "s.jsonl", QUIRE_SESSION_AT_ONCE);
    for (i = 0; i < 400; i++) {
        char line[200];

        snprintf(line, sizeof line,
                 "{\"type\":\"message\",\"id\":\"e%d\",\"message\":{\"role\":"
                 "\"toolResult\",\"toolName\":\"t%d\"}}",
                 i, i);
        put(s, line);
    }
    OK(quire_session_heads(s, 0, NULL, add_tool, &text, &test_err));
    YES(bytes_starts(buf_bytes(&text), bytes_str("t0 t1 t2 ")));
    YES(memmem(text.data, text.len, "t253 other other ", 17));
    buf_release(&text);
    quire_session_close(s);
    house_close(&h);
}

/* ---- windows ------------------------------------------------------------- */

static quire_status add_id(void *ctx, const quire_entry *e, quire_error *err)
{
    (void)err;
    buf_addf(ctx, "%s%.*s@%zu", ((struct buf *)ctx)->len ? " " : "",
             (int)e->id.len, (const char *)e->id.data, e->depth);
    return bytes_is(e->id, "stop") ? QUIRE_CHANGED : QUIRE_OK;
}

static const char *window_of(quire_session *s, const char *leaf, const char *at,
                             size_t from, size_t before, size_t limit)
{
    quire_window_options o = QUIRE_WINDOW_OPTIONS_INIT;
    struct buf text = BUF_INIT(1 << 16);
    quire_window window;
    quire_status st;
    char *copy;

    o.leaf = leaf;
    o.at = at;
    o.from = from;
    o.before = before;
    o.limit = limit;
    st = session_window(s, &o, &window, add_id, &text, &test_err);
    if (st == QUIRE_NOT_FOUND)
        return "not found";
    OK(st);
    buf_addf(&text, " %zu+%zu", window.from, window.n);
    buf_add(&text, "", 1);
    copy = test_alloc(text.len);
    memcpy(copy, text.data, text.len);
    buf_release(&text);
    return copy;
}

static void windows(struct house *h)
{
    quire_session *s;

    house_write(h, "s.jsonl",
                HEADER LINE("a", "null") LINE("b", "\"a\"") LINE("c", "\"b\"")
                    LINE("d", "\"c\"") LINE("x", "\"b\""));
    s = house_open_session(h, "s.jsonl", QUIRE_SESSION_READ);
    SAME_TEXT("a@0 b@1 x@2 0+3", window_of(s, NULL, NULL, 0, 0, 9));
    SAME_TEXT("b@1 c@2 1+4", window_of(s, "d", NULL, 1, 0, 2));
    SAME_TEXT("b@1 c@2 d@3 1+4", window_of(s, "d", "c", 0, 1, 9));
    SAME_TEXT("a@0 b@1 0+4", window_of(s, "d", "a", 0, 7, 2));
    SAME_TEXT(" 4+4", window_of(s, "d", NULL, 99, 0, 2));
    SAME_TEXT(" 0+3", window_of(s, NULL, NULL, 0, 0, 0));
    SAME_TEXT("not found", window_of(s, "z", NULL, 0, 0, 2));
    SAME_TEXT("not found", window_of(s, "x", "c", 0, 0, 2));
    SAME_TEXT("not found", window_of(s, NULL, "z", 0, 0, 2));
    quire_session_close(s);
}

TEST(a_window_has_the_part_of_the_path_that_was_asked_for)
{
    house_each(windows);
}

static void ended(struct house *h)
{
    quire_session *s;

    house_write(h, "s.jsonl",
                HEADER LINE("a", "null") LINE("stop", "\"a\"")
                    LINE("c", "\"stop\""));
    s = house_open_session(h, "s.jsonl", QUIRE_SESSION_READ);
    SAME_TEXT("a@0 stop@1 0+3", window_of(s, NULL, NULL, 0, 0, 9));
    quire_session_close(s);
}

TEST(a_callback_ends_a_window)
{
    house_each(ended);
}

static void wrong_window(struct house *h)
{
    quire_session *s;

    house_write(h, "s.jsonl",
                HEADER LINE("a", "null") WRONG LINE("c", "\"b\""));
    s = house_open_session(h, "s.jsonl", QUIRE_SESSION_READ);
    /* The entries that are listed are right at once, each once. */
    SAME_TEXT("c@0 0+1", window_of(s, NULL, NULL, 0, 0, 9));
    quire_session_close(s);
}

TEST(a_window_has_no_line_that_the_quick_scan_took_wrongly)
{
    house_each(wrong_window);
}
