/*
 * Texts with their content moved out, and back: each form, in each manner of
 * writing, with everything around it as it was.
 */
#include <stdio.h>
#include <string.h>

#include "base/base64.h"
#include "base/buf.h"
#include "base/bytes.h"
#include "base/json.h"
#include "jp/jp.h"
#include "support/store.h"

#define MAX ((size_t)64 << 20)

struct scene {
    struct fix f;
    struct problem_sink hearer;
    struct moved moved;
    struct buf out;
    struct buf said; /* problems, a line each */
    bool changed;
};

static quire_status note(void *ctx, const quire_problem *problem,
                         quire_error *err)
{
    (void)err;
    buf_addf(ctx, "%s: %s\n", problem->kind, problem->what);
    return QUIRE_OK;
}

static void scene_open(struct scene *s)
{
    memset(s, 0, sizeof *s);
    fix_open(&s->f, QUIRE_LAYOUT_LOOSE, false);
    s->out.max = s->said.max = MAX;
}

static void scene_close(struct scene *s)
{
    buf_release(&s->out);
    buf_release(&s->said);
    fix_close(&s->f);
}

static void fresh(struct scene *s)
{
    buf_clear(&s->out);
    buf_clear(&s->said);
    s->moved = (struct moved){0};
    s->hearer = (struct problem_sink){.each = note,
                                      .ctx = &s->said,
                                      .where = "events.json"};
}

static quire_status out_of(struct scene *s, quire_bytes text)
{
    fresh(s);
    return externalize_text(text, blob_view_all(s->f.blobs), &s->hearer,
                            &s->moved, &s->out, &s->changed, &test_err);
}

static quire_status back(struct scene *s, quire_bytes text)
{
    fresh(s);
    return hydrate_text(text, blob_view_all(s->f.blobs), &s->hearer, &s->moved,
                        &s->out, &s->changed, &test_err);
}

static const char *ref_of(const char *content)
{
    static char hex[65];
    quire_blob_info info;
    struct fix f;

    fix_open(&f, QUIRE_LAYOUT_FLAT, false);
    OK(blob_put(blob_view_all(f.blobs), bytes_str(content), 0, &info,
                &test_err));
    fix_close(&f);
    hex_encode(info.digest.byte, 32, hex);
    return hex;
}

static const char *copy(quire_bytes text)
{
    char *t = test_alloc(text.len + 1);

    if (text.len)
        memcpy(t, text.data, text.len);
    t[text.len] = '\0';
    return t;
}

/* The text with the first "@" replaced by the digest of `content`. */
static const char *with_ref(const char *text, const char *content)
{
    const char *at = strchr(text, '@');
    struct buf b = BUF_INIT(MAX);
    const char *done;

    buf_add(&b, text, (size_t)(at - text));
    buf_add_str(&b, ref_of(content));
    buf_add_str(&b, at + 1);
    done = copy(buf_bytes(&b));
    buf_release(&b);
    return done;
}

/* `before` becomes `after` (an @ is the digest of `content`), doing so again
 * changes nothing, and hydrated it is `again`. */
static void moves(const char *before, const char *after, const char *content,
                  const char *again)
{
    struct scene s;
    const char *outside;

    scene_open(&s);
    OK(out_of(&s, bytes_str(before)));
    outside = copy(buf_bytes(&s.out));
    SAME_TEXT(with_ref(after, content), outside);
    EQ(0, s.hearer.n);
    EQ(1, s.moved.payloads);
    EQ(1, s.moved.blobs);
    EQ(strlen(content), s.moved.bytes);
    OK(out_of(&s, bytes_str(outside)));
    NO(s.changed);
    EQ(0, s.moved.payloads);
    EQ(0, s.out.len);
    OK(back(&s, bytes_str(outside)));
    SAME_TEXT(again, copy(buf_bytes(&s.out)));
    scene_close(&s);
}

static void stays(const char *text, const char *problem)
{
    struct scene s;

    scene_open(&s);
    OK(out_of(&s, bytes_str(text)));
    NO(s.changed);
    EQ(0, s.moved.payloads);
    SAME_TEXT(problem, copy(buf_bytes(&s.said)));
    OK(back(&s, bytes_str(text)));
    NO(s.changed);
    scene_close(&s);
}

/* ---- forms -------------------------------------------------------------- */

#define ANSWER(content) \
    "[{\"type\":\"tool_call_response\",\"id\":\"1\",\"content\":" content "}]"
#define REF(n)       "{\"$blob\":\"@\",\"size\":" #n "}"
#define BLOCK_REF(n) "[{\"type\":\"text\",\"content\":" REF(n) "}]"

TEST(an_answer_in_base64_becomes_a_reference_and_comes_back)
{
    moves(ANSWER("\"b2s=\""), ANSWER(BLOCK_REF(2)), "ok", ANSWER("\"b2s=\""));
    moves(ANSWER("\"\""), ANSWER(BLOCK_REF(0)), "", ANSWER("\"\""));
    moves(ANSWER("\"dHJ1ZQ==\""), ANSWER(BLOCK_REF(4)), "true",
          ANSWER("\"dHJ1ZQ==\""));
}

TEST(an_answer_that_was_typed_is_kept_as_it_was_typed)
{
    moves(ANSWER("\"File\""), ANSWER(BLOCK_REF(4)), "File",
          ANSWER("\"RmlsZQ==\""));
    moves(ANSWER("\"not \\u0066ound\\n\""), ANSWER(BLOCK_REF(10)),
          "not found\n", ANSWER("\"bm90IGZvdW5kCg==\""));
    moves(ANSWER("\"w-k_\""), ANSWER(BLOCK_REF(4)), "w-k_",
          ANSWER("\"dy1rXw==\""));
}

TEST(an_answer_in_an_object_is_moved_too)
{
    moves(ANSWER("{\"text\":\"ok\"}"), ANSWER(BLOCK_REF(2)), "ok",
          ANSWER("\"b2s=\""));
    moves(ANSWER("{\"blob\":\"b2s=\"}"), ANSWER(BLOCK_REF(2)), "ok",
          ANSWER("\"b2s=\""));
    moves(ANSWER("{\"blob\":\"/w==\"}"), ANSWER(BLOCK_REF(1)), "\xff",
          ANSWER("{\"blob\":\"/w==\"}"));
    /* In an object it is what it says. */
    moves(ANSWER("{\"text\":\"b2s=\"}"), ANSWER(BLOCK_REF(4)),
          "b2s=", ANSWER("\"YjJzPQ==\""));
}

TEST(blocks_of_an_answer_are_moved_one_by_one)
{
    moves(ANSWER("[7,{\"type\":\"text\",\"text\":\"ok\"}]"),
          ANSWER("[7,{\"type\":\"text\",\"content\":" REF(2) "}]"), "ok",
          ANSWER("[7,{\"type\":\"text\",\"content\":{\"text\":\"ok\"}}]"));
    moves(ANSWER("[{\"type\":\"text\",\"content\":\"b2s=\"},7]"),
          ANSWER("[{\"type\":\"text\",\"content\":" REF(4) "},7]"), "b2s=",
          ANSWER("[{\"type\":\"text\",\"content\":{\"text\":\"b2s=\"}},7]"));
    moves(ANSWER("[{\"content\":{\"text\":\"ok\"},\"type\":\"text\",\"x\":1}]"),
          ANSWER("[{\"content\":" REF(2) ",\"type\":\"text\",\"x\":1}]"), "ok",
          ANSWER(
              "[{\"content\":{\"text\":\"ok\"},\"type\":\"text\",\"x\":1}]"));
}

TEST(one_text_block_goes_out_as_it_is_and_comes_back_as_the_string_jp_reads)
{
    moves(ANSWER("[{\"type\":\"text\",\"text\":\"ok\"}]"), ANSWER(BLOCK_REF(2)),
          "ok", ANSWER("\"b2s=\""));
    moves(ANSWER("[{\"type\":\"text\",\"content\":\"b2s=\"}]"),
          ANSWER(BLOCK_REF(4)), "b2s=", ANSWER("\"YjJzPQ==\""));
    moves(ANSWER("[{\"content\":{\"text\":\"ok\"},\"type\":\"text\"}]"),
          ANSWER("[{\"content\":" REF(2) ",\"type\":\"text\"}]"), "ok",
          ANSWER("\"b2s=\""));
    moves(ANSWER("[{\"type\":\"text\",\"content\":{\"blob\":\"/w==\"}}]"),
          ANSWER(BLOCK_REF(1)), "\xff", ANSWER("{\"blob\":\"/w==\"}"));
}

TEST(an_answer_that_was_a_reference_by_itself_is_still_read)
{
    struct scene s;

    scene_open(&s);
    fix_put(&s.f, bytes_str("ok"));
    OK(out_of(&s, bytes_str(with_ref(ANSWER(REF(2)), "ok"))));
    NO(s.changed);
    OK(back(&s, bytes_str(with_ref(ANSWER(REF(2)), "ok"))));
    SAME_TEXT(ANSWER("\"b2s=\""), copy(buf_bytes(&s.out)));
    scene_close(&s);
}

TEST(a_block_by_itself_is_a_block)
{
    moves(ANSWER("{\"type\":\"text\",\"text\":\"ok\"}"),
          ANSWER("{\"type\":\"text\",\"content\":" REF(2) "}"), "ok",
          ANSWER("{\"type\":\"text\",\"content\":{\"text\":\"ok\"}}"));
    stays(ANSWER("{\"type\":\"question\",\"text\":\"ok\"}"), "");
}

#define BLOCK(members) \
    ANSWER("[{\"type\":\"resource\",\"resource\":{\"uri\":\"u\"," members "}}]")

TEST(resources_of_an_answer_are_moved)
{
    moves(BLOCK("\"text\":\"ok\""), BLOCK("\"content\":" REF(2)), "ok",
          BLOCK("\"content\":{\"text\":\"ok\"}"));
    moves(BLOCK("\"blob\":\"/w==\""), BLOCK("\"content\":" REF(1)), "\xff",
          BLOCK("\"content\":{\"blob\":\"/w==\"}"));
    moves(BLOCK("\"content\":{\"blob\":\"/w==\"}"),
          BLOCK("\"content\":" REF(1)), "\xff",
          BLOCK("\"content\":{\"blob\":\"/w==\"}"));
}

TEST(binary_that_happens_to_be_utf8_stays_binary)
{
    moves(BLOCK("\"content\":{\"blob\":\"b2s=\"}"),
          BLOCK("\"content\":{\"$blob\":\"@\",\"size\":2,\"encoding\":"
                "\"base64\"}"),
          "ok", BLOCK("\"content\":{\"blob\":\"b2s=\"}"));
    moves(BLOCK("\"blob\":\"b2s=\""),
          BLOCK("\"content\":{\"$blob\":\"@\",\"size\":2,\"encoding\":"
                "\"base64\"}"),
          "ok", BLOCK("\"content\":{\"blob\":\"b2s=\"}"));
    moves(BLOCK("\"content\":{\"x\":1,\"blob\":\"b2s=\"}"),
          BLOCK("\"content\":{\"x\":1,\"$blob\":\"@\",\"size\":2,"
                "\"encoding\":\"base64\"}"),
          "ok", BLOCK("\"content\":{\"x\":1,\"blob\":\"b2s=\"}"));
    /* A member of that name that was there says something else. */
    moves(BLOCK("\"content\":{\"blob\":\"b2s=\",\"encoding\":\"x\"}"),
          BLOCK("\"content\":{\"encoding\":\"x\",\"$blob\":\"@\","
                "\"size\":2}"),
          "ok", BLOCK("\"content\":{\"encoding\":\"x\",\"text\":\"ok\"}"));
}

#define REQUEST(resource)                                                       \
    "[{\"type\":\"chat_request\",\"content\":\"b2s=\",\"resources\":[" resource \
    "]}]"

TEST(resources_of_a_request_are_moved_and_what_was_said_is_not)
{
    moves(REQUEST("{\"uri\":\"u\",\"text\":\"ok\",\"formatted\":\"<ok>\"}"),
          REQUEST(
              "{\"uri\":\"u\",\"content\":" REF(2) ",\"formatted\":\"<ok>\"}"),
          "ok",
          REQUEST("{\"uri\":\"u\",\"content\":{\"text\":\"ok\"},"
                  "\"formatted\":\"<ok>\"}"));
    moves(REQUEST("{\"type\":\"resource\",\"resource\":{\"content\":{\"text\":"
                  "\"ok\"}}}"),
          REQUEST(
              "{\"type\":\"resource\",\"resource\":{\"content\":" REF(2) "}}"),
          "ok",
          REQUEST("{\"type\":\"resource\",\"resource\":{\"content\":{\"text\":"
                  "\"ok\"}}}"));
}

TEST(members_that_nobody_knows_stay_in_the_object)
{
    moves(ANSWER("{\"x\":1e-07,\"text\":\"ok\"}"),
          ANSWER("{\"x\":1e-07,\"$blob\":\"@\",\"size\":2}"), "ok",
          ANSWER("{\"x\":1e-07,\"text\":\"ok\"}"));
}

TEST(what_is_no_payload_is_left_alone)
{
    stays("[]", "");
    stays("[1,null,\"b2s=\",[{\"type\":\"tool_call_response\"}]]", "");
    stays("[{\"type\":\"chat_response\",\"content\":\"b2s=\",\"message\":"
          "\"b2s=\"}]",
          "");
    stays("[{\"type\":\"tool_call_request\",\"arguments\":{\"content\":"
          "\"b2s=\"}}]",
          "");
    stays("[{\"type\":\"tool_call_response\",\"metadata\":{\"x\":\"b2s=\"}}]",
          "");
    stays("[{\"type\":\"chat_request\",\"content\":\"b2s=\"}]", "");
    stays("[{\"type\":\"unheard_of\",\"content\":\"b2s=\"}]", "");
    stays("[{\"content\":\"b2s=\",\"assistant\":{\"name\":\"flattened\"}}]",
          "");
    stays(ANSWER("[]"), "");
    stays(ANSWER("[{\"type\":\"question\",\"text\":\"b2s=\"},7,\"b2s=\"]"), "");
    stays(ANSWER("[{\"type\":\"new\",\"content\":{\"text\":\"x\"}}]"), "");
}

#define HEX "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

TEST(what_is_not_plainly_a_payload_is_left_alone_and_told)
{
    static const struct {
        const char *content, *what;
    } odd[] = {
        {"{\"$blob\":\"" HEX "\"}", "it has a $blob and no size"},
        {"{\"$blob\":\"" HEX "\",\"size\":-1}",
         "its size is not a count of bytes"},
        {"{\"$blob\":\"" HEX "\",\"size\":1.5}",
         "its size is not a count of bytes"},
        {"{\"$blob\":\"" HEX "\",\"size\":\"2\"}",
         "its size is not a count of bytes"},
        {"{\"$blob\":\"" HEX "\",\"size\":99999999999999999999}",
         "its size is not a count of bytes"},
        {"{\"$blob\":\"xyz\",\"size\":1}", "$blob is not 64 hex digits"},
        {"{\"$blob\":\"" HEX "0\",\"size\":1}", "$blob is not 64 hex digits"},
        {"{\"$blob\":7,\"size\":1}", "$blob is not 64 hex digits"},
        {"{\"$blob\":\"" HEX "\",\"size\":1,\"text\":\"a\"}",
         "it has more than one of $blob, text and blob"},
        {"{\"text\":\"a\",\"blob\":\"YQ==\"}",
         "it has more than one of $blob, text and blob"},
        {"{\"text\":\"a\",\"text\":\"b\"}", "a key of it is there twice"},
        {"{}", "it has none of $blob, text and blob"},
        {"{\"data\":1}", "it has none of $blob, text and blob"},
        {"{\"text\":5}", "its content is not a string"},
        {"{\"blob\":\"no base64\"}",
         "it is not base64, standard alphabet, padded"},
        {"{\"blob\":\"w-k=\"}", "it is not base64, standard alphabet, padded"},
        {"5", "it is neither a string nor an object"},
        {"null", "its content is null"},
        {"[{\"type\":\"text\",\"content\":null}]", "its content is null"},
        {"[{\"type\":\"resource\",\"resource\":{\"content\":null}}]",
         "its content is null"},
        {"\"\\ud800\"", "its text is not UTF-8, or has half a surrogate pair"},
        {"\"\xff\"", "its text is not UTF-8, or has half a surrogate pair"},
        {"\"a\",\"content\":\"b\"", "a key of it is there twice"},
        {"[{\"type\":\"text\",\"text\":\"a\",\"content\":{\"text\":\"a\"}}]",
         "its content is there in two forms"},
        {"[{\"type\":\"resource\",\"resource\":{\"text\":\"a\",\"blob\":"
         "\"YQ==\"}}]",
         "its content is there in two forms"},
        {"[{\"type\":\"text\",\"text\":5}]", "it is not a string"},
    };
    size_t i;

    for (i = 0; i < sizeof odd / sizeof *odd; i++) {
        struct buf text = BUF_INIT(4096);
        struct scene s;

        buf_addf(&text, ANSWER("%s"), odd[i].content);
        scene_open(&s);
        OK(out_of(&s, buf_bytes(&text)));
        NO(s.changed);
        EQ(1, s.hearer.n);
        HAS(copy(buf_bytes(&s.said)), odd[i].what);
        HAS(copy(buf_bytes(&s.said)), "odd: line 1, byte ");
        scene_close(&s);
        buf_release(&text);
    }
}

TEST(one_odd_thing_does_not_keep_the_others)
{
    struct scene s;

    scene_open(&s);
    OK(out_of(&s, bytes_str("[{\"type\":\"tool_call_response\",\n"
                            "\"content\":{}},{\"type\":"
                            "\"tool_call_response\",\"content\":\"b2s=\"}]")));
    YES(s.changed);
    EQ(1, s.moved.payloads);
    SAME_TEXT("odd: line 2, byte 11: it has none of $blob, text and blob\n",
              copy(buf_bytes(&s.said)));
    scene_close(&s);
}

TEST(very_many_odd_things_are_told_in_no_time)
{
    struct buf text = BUF_INIT(MAX);
    struct scene s;
    int i;

    buf_add_str(&text, "[0");
    for (i = 0; i < 100000; i++)
        buf_addf(&text, ",%s{\"type\":\"tool_call_response\",\"content\":{}}",
                 i % 2 ? "\n" : "");
    buf_add_str(&text, "]");
    scene_open(&s);
    OK(out_of(&s, buf_bytes(&text)));
    EQ(100000, s.hearer.n);
    HAS(copy(buf_bytes(&s.said)), "odd: line 50001, byte 40: ");
    scene_close(&s);
    buf_release(&text);
}

TEST(a_wrong_size_is_told_and_does_not_withhold_what_the_digest_proves)
{
    static const unsigned long long sizes[] = {3, 0, 1ull << 40};
    size_t i;

    for (i = 0; i < 3; i++) {
        char text[200], said[80];
        struct scene s;

        snprintf(text, sizeof text, ANSWER("{\"$blob\":\"%s\",\"size\":%llu}"),
                 ref_of("ok"), sizes[i]);
        snprintf(said, sizeof said, "has 2 bytes, not the %llu", sizes[i]);
        scene_open(&s);
        fix_put(&s.f, bytes_str("ok"));
        OK(out_of(&s, bytes_str(text)));
        NO(s.changed);
        HAS(copy(buf_bytes(&s.said)), said);
        OK(back(&s, bytes_str(text)));
        HAS(copy(buf_bytes(&s.said)), said);
        SAME_TEXT(ANSWER("\"b2s=\""), copy(buf_bytes(&s.out)));
        scene_close(&s);
    }
}

TEST(content_far_beyond_its_size_is_told_and_not_unpacked)
{
    struct buf big = BUF_INIT(MAX);
    const char *text;
    struct scene s;

    while (big.len < (2u << 20))
        buf_add_str(&big, "0123456789abcdef");
    text = with_ref(ANSWER(REF(3)), buf_text(&big));
    scene_open(&s);
    fix_put(&s.f, buf_bytes(&big));
    IS(QUIRE_DAMAGED, back(&s, bytes_str(text)));
    HAS(copy(buf_bytes(&s.said)), "not the 3 that are written here");
    EQ(0, s.out.len);
    scene_close(&s);
    buf_release(&big);
}

TEST(capital_digits_are_understood_and_left_as_they_are)
{
    char text[200], *c;
    struct scene s;

    scene_open(&s);
    fix_put(&s.f, bytes_str("ok"));
    snprintf(text, sizeof text, "%s", with_ref(ANSWER(REF(2)), "ok"));
    for (c = strstr(text, "$blob") + 8; *c != '"'; c++)
        *c = *c >= 'a' ? (char)(*c - 32) : *c;
    OK(out_of(&s, bytes_str(text)));
    NO(s.changed);
    EQ(0, s.hearer.n);
    OK(back(&s, bytes_str(text)));
    SAME_TEXT(ANSWER("\"b2s=\""), copy(buf_bytes(&s.out)));
    scene_close(&s);
}

/* ---- manners ------------------------------------------------------------ */

TEST(a_reference_is_written_as_the_file_is)
{
    moves("[\n  {\n    \"type\": \"tool_call_response\",\n    \"content\": "
          "\"b2s=\",\n    \"is_error\": false\n  }\n]\n",
          "[\n  {\n    \"type\": \"tool_call_response\",\n    \"content\": "
          "[\n      {\n        \"type\": \"text\",\n        \"content\": "
          "{\n          \"$blob\": \"@\",\n          \"size\": 2\n        "
          "}\n      }\n    ],\n    "
          "\"is_error\": false\n  }\n]\n",
          "ok",
          "[\n  {\n    \"type\": \"tool_call_response\",\n    \"content\": "
          "\"b2s=\",\n    \"is_error\": false\n  }\n]\n");
    moves("[\r\n\t{\r\n\t\t\"type\" : \"tool_call_response\",\r\n\t\t"
          "\"content\" : \"b2s=\"\r\n\t}\r\n]",
          "[\r\n\t{\r\n\t\t\"type\" : \"tool_call_response\",\r\n\t\t"
          "\"content\" : [\r\n\t\t\t{\r\n\t\t\t\t\"type\" : "
          "\"text\",\r\n\t\t\t\t\"content\" : "
          "{\r\n\t\t\t\t\t\"$blob\" : \"@\",\r\n\t\t\t\t\t\"size\" : "
          "2\r\n\t\t\t\t}\r\n\t\t\t}\r\n\t\t]\r\n\t}\r\n]",
          "ok",
          "[\r\n\t{\r\n\t\t\"type\" : \"tool_call_response\",\r\n\t\t"
          "\"content\" : \"b2s=\"\r\n\t}\r\n]");
    moves("[{\"type\": \"tool_call_response\", \"content\": \"b2s=\"}]",
          "[{\"type\": \"tool_call_response\", \"content\": [{\"type\": "
          "\"text\", \"content\": {\"$blob\": \"@\", \"size\": 2}}]}]",
          "ok", "[{\"type\": \"tool_call_response\", \"content\": \"b2s=\"}]");
    moves("[{\"content\": \"b2s=\", \"type\": \"tool_call_response\"}]",
          "[{\"content\": [{\"type\": \"text\", \"content\": {\"$blob\": "
          "\"@\", \"size\": 2}}], \"type\": "
          "\"tool_call_response\"}]",
          "ok", "[{\"content\": \"b2s=\", \"type\": \"tool_call_response\"}]");
}

TEST(a_byte_order_mark_stays)
{
    moves("\xef\xbb\xbf " ANSWER("\"b2s=\"") " \n",
          "\xef\xbb\xbf " ANSWER(BLOCK_REF(2)) " \n", "ok",
          "\xef\xbb\xbf " ANSWER("\"b2s=\"") " \n");
}

/* ---- any text around ---------------------------------------------------- */

/* Writes two texts at once: with content inside, and outside. */
struct twin {
    struct buf in, out;
    uint64_t seed;
    const char *line, *unit, *colon, *comma; /* the manner */
    struct fix *f;
};

static unsigned dice(struct twin *t, unsigned n)
{
    uint32_t r;

    test_noise(++t->seed, &r, sizeof r);
    return r % n;
}

static void both(struct twin *t, const char *text)
{
    buf_add_str(&t->in, text);
    buf_add_str(&t->out, text);
}

static void newline(struct twin *t, int depth)
{
    both(t, t->line);
    for (; depth > 0 && *t->line; depth--)
        both(t, t->unit);
}

static void scalar(struct twin *t)
{
    static const char *const values[] = {"1e-07",
                                         "-0",
                                         "\"\\u0041\\/\"",
                                         "\"b2s=\"",
                                         "null",
                                         "true",
                                         "\"\xff\"",
                                         "12345678901234567890",
                                         "\"\\ud800\"",
                                         "\"$blob\"",
                                         "1.50",
                                         "\"content\"",
                                         "\"\\\"}],{[\"",
                                         "\"text\"",
                                         "[]",
                                         "{}"};

    both(t, values[dice(t, sizeof values / sizeof *values)]);
}

static void any_value(struct twin *t, int depth)
{
    static const char *const keys[] = {"\"a\"",     "\"content\"",
                                       "\"type\"",  "\"text\"",
                                       "\"blob\"",  "\"\\u0062\"",
                                       "\"$blob\"", "\"size\"",
                                       "\"\""};
    unsigned kind = depth > 6 ? 0 : dice(t, 4), n = dice(t, 4), i;

    if (kind < 2 || n == 0) {
        scalar(t);
        return;
    }
    both(t, kind == 2 ? "[" : "{");
    for (i = 0; i < n; i++) {
        if (i)
            both(t, ",");
        if (i && !*t->line)
            both(t, t->comma);
        newline(t, depth + 1);
        if (kind == 3) {
            both(t, keys[dice(t, sizeof keys / sizeof *keys)]);
            both(t, t->colon);
        }
        any_value(t, depth + 1);
    }
    newline(t, depth);
    both(t, kind == 2 ? "]" : "}");
}

/* Only outside: a line of its own, if lines are the manner. */
static void out_line(struct twin *t, int depth)
{
    buf_add_str(&t->out, t->line);
    for (; depth > 0 && *t->line; depth--)
        buf_add_str(&t->out, t->unit);
}

static void reference(struct twin *t, const quire_blob_info *info, int depth)
{
    const char *comma = *t->line ? "" : t->comma;
    char hex[65];

    hex_encode(info->digest.byte, 32, hex);
    buf_add_str(&t->out, "[");
    out_line(t, depth + 1);
    buf_add_str(&t->out, "{");
    out_line(t, depth + 2);
    buf_addf(&t->out, "\"type\"%s\"text\",%s", t->colon, comma);
    out_line(t, depth + 2);
    buf_addf(&t->out, "\"content\"%s{", t->colon);
    out_line(t, depth + 3);
    buf_addf(&t->out, "\"$blob\"%s\"%s\",%s", t->colon, hex, comma);
    out_line(t, depth + 3);
    buf_addf(&t->out, "\"size\"%s%llu", t->colon,
             (unsigned long long)info->size);
    out_line(t, depth + 2);
    buf_add_str(&t->out, "}");
    out_line(t, depth + 1);
    buf_add_str(&t->out, "}");
    out_line(t, depth);
    buf_add_str(&t->out, "]");
}

static void answer(struct twin *t, int depth)
{
    char content[300];
    size_t len = 25 + dice(t, 270);
    quire_blob_info info;

    test_prose(dice(t, 20), content, len);
    OK(blob_put(blob_view_all(t->f->blobs), bytes_of(content, len), 0, &info,
                &test_err));
    buf_add_str(&t->in, "\"");
    base64_encode(bytes_of(content, len), &t->in);
    buf_add_str(&t->in, "\"");
    reference(t, &info, depth);
}

static void member(struct twin *t, const char *key)
{
    both(t, ",");
    if (!*t->line)
        both(t, t->comma);
    newline(t, 2);
    both(t, key);
    both(t, t->colon);
}

static void event(struct twin *t)
{
    bool tool = dice(t, 2);

    both(t, "{");
    newline(t, 2);
    both(t, "\"type\"");
    both(t, t->colon);
    both(t, tool ? "\"tool_call_response\"" : "\"other\"");
    member(t, "\"x\"");
    any_value(t, 2);
    member(t, "\"content\"");
    if (tool)
        answer(t, 2);
    else
        any_value(t, 2);
    member(t, "\"y\"");
    any_value(t, 2);
    newline(t, 1);
    both(t, "}");
}

static void document(struct twin *t)
{
    static const char *const manners[][4] = {{"", "", ":", ""},
                                             {"", "", ": ", " "},
                                             {"\n", "  ", ": ", ""},
                                             {"\n", "\t", ":", ""},
                                             {"\r\n", "    ", " : ", ""},
                                             {"\n", "", ": ", ""}};
    const char *const *m = manners[dice(t, 6)];
    unsigned n = 1 + dice(t, 6), i;

    t->line = m[0];
    t->unit = m[1];
    t->colon = m[2];
    t->comma = m[3];
    both(t, "[");
    for (i = 0; i < n; i++) {
        if (i)
            both(t, ",");
        if (i && !*t->line)
            both(t, t->comma);
        newline(t, 1);
        event(t);
    }
    newline(t, 0);
    both(t, "]");
    if (dice(t, 2))
        both(t, "\n");
}

TEST(whatever_stands_around_payloads_stays_to_the_byte)
{
    uint64_t round;

    for (round = 0; round < 400; round++) {
        struct twin t = {.in = BUF_INIT(MAX),
                         .out = BUF_INIT(MAX),
                         .seed = round * 100000};
        struct scene s;

        scene_open(&s);
        t.f = &s.f;
        document(&t);
        YES(json_check(buf_bytes(&t.in), 0, NULL));
        OK(out_of(&s, buf_bytes(&t.in)));
        SAME(buf_bytes(&t.out), buf_bytes(s.changed ? &s.out : &t.in));
        OK(back(&s, buf_bytes(&t.out)));
        SAME(buf_bytes(&t.in), buf_bytes(s.changed ? &s.out : &t.out));
        scene_close(&s);
        buf_release(&t.in);
        buf_release(&t.out);
    }
}

/* ---- damage ------------------------------------------------------------- */

TEST(what_is_not_json_is_refused_with_its_place)
{
    static const struct {
        const char *text;
        size_t len;
        quire_status st;
        const char *where;
    } bad[] = {
        {"", 0, QUIRE_DAMAGED, "line 1, byte 1"},
        {"[\n {},\n {\"a\" 1}]", 17, QUIRE_DAMAGED, "line 3, byte 7"},
        {"[{\"a\":1}", 8, QUIRE_DAMAGED, "line 1, byte 9"},
        {"[1]\0", 4, QUIRE_DAMAGED, "line 1, byte 4"},
        {"[\"a\0b\"]", 7, QUIRE_DAMAGED, "line 1, byte 4"},
        {"\xef\xbb\xbf[,]", 6, QUIRE_DAMAGED, "line 1, byte 5"},
        {"{}", 2, QUIRE_INVALID, "not an array of events"},
        {"\"x\"", 3, QUIRE_INVALID, "not an array of events"},
    };
    size_t i;

    for (i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct scene s;

        scene_open(&s);
        IS(bad[i].st, out_of(&s, bytes_of(bad[i].text, bad[i].len)));
        HAS(test_err.what, bad[i].where);
        HAS(test_err.what, "events.json");
        YES(test_err.next[0]);
        IS(bad[i].st, back(&s, bytes_of(bad[i].text, bad[i].len)));
        EQ(0, s.out.len);
        scene_close(&s);
    }
}

TEST(what_is_nested_too_deep_is_refused)
{
    char text[2000];
    struct scene s;

    memset(text, '[', 1000);
    memset(text + 1000, ']', 1000);
    scene_open(&s);
    IS(QUIRE_DAMAGED, out_of(&s, bytes_of(text, sizeof text)));
    OK(out_of(&s, bytes_of(text + 700, 600)));
    scene_close(&s);
}

TEST(nothing_comes_back_if_one_blob_is_missing)
{
    static const char text[] =
        "[{\"type\":\"tool_call_response\",\"content\":{\"$blob\":\"" HEX
        "\",\"size\":5}},{\"type\":\"tool_call_response\",\"content\":"
        "{\"$blob\":\"%s\",\"size\":2}}]";
    char full[600];
    struct scene s;

    scene_open(&s);
    fix_put(&s.f, bytes_str("ok"));
    snprintf(full, sizeof full, text, ref_of("ok"));
    IS(QUIRE_DAMAGED, back(&s, bytes_str(full)));
    HAS(test_err.what, "1 of its blobs is missing or damaged");
    HAS(copy(buf_bytes(&s.said)),
        "missing: line 1, byte 41: blob " HEX " is not in the store");
    EQ(0, s.out.len);
    scene_close(&s);
}

TEST(a_nul_in_a_text_is_content_like_any_other)
{
    struct scene s;
    quire_bytes got;
    quire_digest d;

    scene_open(&s);
    OK(out_of(&s, bytes_str(ANSWER("{\"text\":\"a\\u0000b\"}"))));
    d = fix_put(&s.f, bytes_of("a\0b", 3));
    OK(blob_get(blob_view_all(s.f.blobs), &d, &got, &test_err));
    EQ(3, s.moved.bytes);
    OK(back(&s, bytes_str(copy(buf_bytes(&s.out)))));
    SAME_TEXT(ANSWER("\"YQBi\""), copy(buf_bytes(&s.out)));
    scene_close(&s);
}

TEST(a_large_payload_goes_and_comes_back)
{
    size_t len = (size_t)20 << 20;
    char *content = test_alloc(len);
    struct buf text = BUF_INIT(MAX);
    struct scene s;
    const char *outside;

    test_noise(7, content, len);
    buf_add_str(&text, "[{\"type\":\"tool_call_response\",\"content\":{\"blob\""
                       ":\"");
    base64_encode(bytes_of(content, len), &text);
    buf_add_str(&text, "\"}}]\n");
    scene_open(&s);
    OK(out_of(&s, buf_bytes(&text)));
    YES(s.out.len < 200);
    EQ(len, s.moved.bytes);
    outside = copy(buf_bytes(&s.out));
    OK(back(&s, bytes_str(outside)));
    SAME(buf_bytes(&text), buf_bytes(&s.out));
    scene_close(&s);
    buf_release(&text);
}

TEST(a_small_text_that_would_become_enormous_is_refused)
{
    struct buf text = BUF_INIT(MAX);
    struct scene s;
    int i;

    buf_add_str(&text, "[0");
    for (i = 0; i < 200; i++)
        buf_addf(&text,
                 ",{\"type\":\"tool_call_response\",\"content\":{\"$blob\":"
                 "\"" HEX "\",\"size\":%llu}}",
                 i ? 100ull : (unsigned long long)CONVERSATION_MAX + 1);
    buf_add_str(&text, "]");
    scene_open(&s);
    IS(QUIRE_TOO_LARGE, back(&s, buf_bytes(&text)));
    scene_close(&s);
    buf_release(&text);
}

/* ---- references --------------------------------------------------------- */

static quire_status add_digest(void *ctx, const quire_digest *d,
                               quire_error *err)
{
    char hex[65];

    (void)err;
    hex_encode(d->byte, 32, hex);
    buf_addf(ctx, "%.4s ", hex);
    return QUIRE_OK;
}

TEST(references_are_found_at_any_depth_and_in_events_nobody_knows)
{
    struct buf b = BUF_INIT(4096);

    OK(references_each(
        bytes_str("[{\"type\":\"new\",\"x\":[[{\"$blob\":\"" HEX "\"}]],"
                  "\"$blob\":\"abcd" HEX "\",\"y\":\"$blob\"},{\"\\u0024blob\":"
                  "\"FFFF456789abcdef0123456789abcdef0123456789abcdef0123456789"
                  "abcdef\"},{\"blob\":\"" HEX "\"}]"),
        add_digest, &b, &test_err));
    SAME_TEXT("0123 ffff ", buf_text(&b));
    buf_release(&b);
}
