#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/base64.h"
#include "base/bytes.h"
#include "base/json.h"
#include "session/persist.h"
#include "support/store.h"

#define LIMIT 500000
#define KEPT  (LIMIT - 47)

/* ---- making and comparing ----------------------------------------------- */

/* Texts here live until the test ends. */
static struct buf fresh(void)
{
    return (struct buf)BUF_INIT((size_t)1 << 30);
}

static const char *kept(struct buf *b)
{
    char *copy = test_alloc(b->len + 1);

    NO(b->failed);
    memcpy(copy, b->data, b->len);
    copy[b->len] = '\0';
    buf_release(b);
    return copy;
}

static const char *join(const char *a, const char *b, const char *c)
{
    struct buf out = fresh();

    buf_add_str(&out, a);
    buf_add_str(&out, b);
    buf_add_str(&out, c);
    return kept(&out);
}

static const char *run(const char *unit, size_t n)
{
    struct buf out = fresh();

    while (n--)
        buf_add_str(&out, unit);
    return kept(&out);
}

/* Base64 of noise, `n` characters of it; a multiple of four. */
static const char *noise64(uint64_t seed, size_t n)
{
    struct buf out = fresh();
    size_t raw = n / 4 * 3;
    void *noise = test_alloc(raw);

    test_noise(seed, noise, raw);
    base64_encode(bytes_of(noise, raw), &out);
    return kept(&out);
}

static const char *persisted_as(const char *entry, struct blobs *blobs,
                                bool omp)
{
    struct arena tmp = ARENA_INIT;
    struct buf out = fresh();
    size_t len = strlen(entry);
    char *exact = malloc(len);

    /* Without a NUL, for a sanitizer to see the end. */
    memcpy(exact, entry, len);
    OK(persist_entry(bytes_of(exact, len), blobs, omp, &tmp, &out, &test_err));
    free(exact);
    arena_release(&tmp);
    return kept(&out);
}

/* Whatever comes out needs nothing more. */
static const char *persisted(const char *entry, struct blobs *blobs)
{
    const char *once = persisted_as(entry, blobs, false);

    YES(json_check(bytes_str(once), 0, NULL));
    YES(!strcmp(once, persisted_as(once, blobs, false)));
    return once;
}

static void stays(const char *entry, struct blobs *blobs)
{
    const char *out = persisted(entry, blobs);

    if (strcmp(entry, out) != 0)
        SAME_TEXT(strlen(entry) < 2000 ? entry : "the same",
                  strlen(out) < 2000 ? out : "something else");
}

static void becomes(const char *want, const char *entry)
{
    const char *out = persisted(entry, NULL);

    if (strcmp(want, out) != 0)
        SAME_TEXT(strlen(want) < 2000 ? want : "what was wanted",
                  strlen(out) < 2000 ? out : "something else");
}

/* ---- cutting ------------------------------------------------------------ */

TEST(an_entry_that_needs_nothing_is_copied)
{
    static const char *const entries[] = {
        "{}",
        " [ ]\r\n",
        "null",
        "\"x\"",
        "0",
        "{\"content\":[],\"images\":[],\"frames\":[[]]}",
        "{\"n\":1e-07,\"s\":\"\\/\\u0041\\ud800\",\"n\":-0.0}",
        "{\"a\" : 1 ,\r\n\t\"lineCount\" : 99 , \"content\":\"a\\nb\"}",
        "{\"partialJSON\":1,\"jsonlevents\":2,\"x\":\"partialJson\"}",
        "{\"content\":[{\"type\":\"image\",\"data\":\"\"}]}",
        "{\"image_url\":\"data:image/png,raw\"}",
        "{\"image_url\":\"https://example.org/;base64,\"}",
    };
    size_t i;

    for (i = 0; i < sizeof entries / sizeof *entries; i++)
        stays(entries[i], NULL);
}

TEST(half_a_million_units_stay_and_one_more_is_cut)
{
    const char *units[] = {"x",       "\xc3\xa4", "\xe2\x82\xac", "\\n",
                           "\\u20ac", "\\ud800",  "\xff"};
    size_t i;

    for (i = 0; i < sizeof units / sizeof *units; i++) {
        const char *all = run(units[i], LIMIT);

        stays(join("{\"a\":\"", all, "\"}"), NULL);
        becomes(join("{\"a\":\"", run(units[i], KEPT), PERSIST_NOTICE "\"}"),
                join(join("{\"a\":\"", all, ""), units[i], "\"}"));
    }
    EQ(LIMIT, json_count_utf16(bytes_str(
                  persisted(join("\"", run("y", LIMIT + 1), "\""), NULL))));
}

TEST(a_pair_is_never_split)
{
    const char *pairs[] = {"\xf0\x9f\x98\x80", "\\ud83d\\ude00"};
    size_t i;

    for (i = 0; i < 2; i++) {
        const char *tail = run("z", 60);

        /* the pair's first half would be the last unit kept */
        becomes(join(join("\"", run("x", KEPT - 1), ""), "",
                     PERSIST_NOTICE "\""),
                join(join("\"", run("x", KEPT - 1), pairs[i]), tail, "\""));
        /* it just fits */
        becomes(join(join("\"", run("x", KEPT - 2), pairs[i]), "",
                     PERSIST_NOTICE "\""),
                join(join("\"", run("x", KEPT - 2), pairs[i]), tail, "\""));
        /* two halves that are no pair are two units */
        becomes(join(join("\"", run("x", KEPT - 1), "\\ude00"), "",
                     PERSIST_NOTICE "\""),
                join(join("\"", run("x", KEPT - 1), "\\ude00\\ud83d"), tail,
                     "\""));
        /* the limit itself falls into a pair */
        becomes(join("\"", run("x", KEPT), PERSIST_NOTICE "\""),
                join(join("\"", run("x", LIMIT - 1), pairs[i]), "", "\""));
    }
}

TEST(an_escape_is_never_split)
{
    becomes(join(join("\"", run("x", KEPT - 1), "\\u0041"), "",
                 PERSIST_NOTICE "\""),
            join(join("\"", run("x", KEPT - 1), "\\u0041\\u0042"),
                 run("\\\\", 60), "\""));
    becomes(join(join("\"", run("x", KEPT), ""), "", PERSIST_NOTICE "\""),
            join(join("\"", run("x", KEPT), "\\\""), run("\\\"", 60), "\""));
}

TEST(strings_are_cut_wherever_they_are)
{
    const char *vast = join("\"", run("x", LIMIT + 1), "\"");
    const char *cut = join("\"", run("x", KEPT), PERSIST_NOTICE "\"");

    becomes(cut, vast);
    becomes(join("[", cut, "]"), join("[", vast, "]"));
    becomes(join("{\"a\":[[{\"b\":", cut, "}]]}"),
            join("{\"a\":[[{\"b\":", vast, "}]]}"));
    becomes(join("{\"data\":", cut, "}"), join("{\"data\":", vast, "}"));
    becomes(join("{\"content\":", cut, "}"), join("{\"content\":", vast, "}"));
    becomes(join("{\"image_url\":", cut, "}"),
            join("{\"image_url\":", vast, "}"));
    becomes(join("{\"type\":", cut, "}"), join("{\"type\":", vast, "}"));
    /* keys are not */
    stays(join("{", vast, ":1}"), NULL);
}

TEST(base64_is_never_cut)
{
    const char *vast = join("\"", run("A", LIMIT + 4), "\"");
    const char *forms[][2] = {
        {"{\"type\":\"image\",\"data\":", "}"},
        {"{\"data\":", ",\"type\":\"image\"}"},
        {"{\"data\":", ",\"mimeType\":\"audio/wav\"}"},
        {"{\"data\":", ",\"mediaType\":\"\"}"},
        {"{\"x\":{\"data\":", ",\"media_type\":\"a\"}}"},
        {"{\"content\":[{\"data\":", ",\"mimeType\":\"image/png\"}]}"},
    };
    size_t i;

    for (i = 0; i < sizeof forms / sizeof *forms; i++)
        stays(join(forms[i][0], vast, forms[i][1]), NULL);
    vast = run("A", LIMIT + 4);
    stays(join("\"data:image/png;base64,", vast, "\""), NULL);
    stays(join("{\"data\":\"data:;base64,", vast, "\"}"), NULL);
    stays(join("[\"data:image\\/png;charset=x;base64,", vast, "\"]"), NULL);
    stays(join("{\"image_url\":\"data:image\\/png;base64,", vast, "\"}"), NULL);
    /* these are text */
    becomes(join("\"data: ", run("A", KEPT - 6), PERSIST_NOTICE "\""),
            join("\"data: ", vast, "\""));
    becomes(join("\"data:,;base64,", run("A", KEPT - 14), PERSIST_NOTICE "\""),
            join("\"data:,;base64,", vast, "\""));
}

TEST(what_is_signed_or_encrypted_is_never_cut)
{
    const char *vast = join("\"", run("x", LIMIT + 1), "\"");
    const char *forms[][2] = {
        {"{\"thinkingSignature\":", "}"},
        {"{\"thoughtSignature\":", "}"},
        {"{\"textSignature\":", "}"},
        {"{\"signature\":", "}"},
        {"{\"encrypted_content\":", "}"},
        {"{\"thinking\":", ",\"thinkingSignature\":\"s\"}"},
        {"{\"signature\":\"s\",\"thinking\":", "}"},
        {"{\"type\":\"redacted_thinking\",\"data\":", "}"},
        {"{\"a\":", ",\"type\":\"redactedThinking\"}"},
        {"{\"type\":\"reasoning\",\"encrypted_content\":\"e\",\"summary\":[{"
         "\"text\":",
         "}]}"},
        {"{\"arguments\":{\"deep\":[", "]},\"thoughtSignature\":\"s\"}"},
        {"{\"signature\":\"s\",\"data\":", "}"},
        {"{\"x\":{\"content\":", ",\"lineCount\":7},\"signature\":\"s\"}"},
        {"{\"content\":", ",\"lineCount\":7,\"signature\":\"s\"}"},
    };
    size_t i;

    for (i = 0; i < sizeof forms / sizeof *forms; i++)
        stays(join(forms[i][0], vast, forms[i][1]), NULL);
}

TEST(an_empty_signature_signs_nothing)
{
    const char *vast = join("\"", run("x", LIMIT + 1), "\"");
    const char *cut = join("\"", run("x", KEPT), PERSIST_NOTICE "\"");
    const char *forms[][2] = {
        {"{\"thinking\":", ",\"thinkingSignature\":\"\"}"},
        {"{\"thinking\":", ",\"signature\":null}"},
        {"{\"signature\":\"s\",\"a\":", ",\"signature\":0}"},
        {"[{\"signature\":\"s\"},", "]"},
        {"{\"inner\":{\"signature\":\"s\"},\"a\":", "}"},
        {"{\"type\":\"redacted_thinking\",\"a\":", ",\"type\":\"text\"}"},
        {"{\"mimeType\":\"a\",\"data\":", ",\"mimeType\":1}"},
    };
    size_t i;

    for (i = 0; i < sizeof forms / sizeof *forms; i++)
        becomes(join(forms[i][0], cut, forms[i][1]),
                join(forms[i][0], vast, forms[i][1]));
}

/* ---- transient members, lines ------------------------------------------- */

TEST(transient_members_go_with_their_commas)
{
    static const char *const pairs[][2] = {
        {"{\"partialJson\":1}", "{}"},
        {"{ \"partialJson\" : [ {} ] }", "{  }"},
        {"{\"partialJson\":1,\"a\":2}", "{\"a\":2}"},
        {"{\"a\":2,\"partialJson\":\"x\"}", "{\"a\":2}"},
        {"{\"a\":1,\"partialJson\":{\"b\":[1,{}]},\"c\":3}",
         "{\"a\":1,\"c\":3}"},
        {"{\"partialJson\":1,\"jsonlEvents\":2}", "{}"},
        {"{\"jsonlEvents\":[],\"partialJson\":1,\"z\":0}", "{\"z\":0}"},
        {"{\"a\":1,\"partialJson\":1,\"jsonlEvents\":2,\"b\":2}",
         "{\"a\":1,\"b\":2}"},
        {"{\"a\":1 , \"partialJson\":1 , \"partialJson\":2 }", "{\"a\":1 }"},
        {"{\r\n \"partialJson\" : 1 ,\r\n \"b\":2\r\n}", "{\r\n \"b\":2\r\n}"},
        {"{\"partial\\u004ason\":1,\"a\":{\"jsonlEvents\":0}}", "{\"a\":{}}"},
        {"[{\"a\":[],\"partialJson\":1},{\"partialJson\":2}]",
         "[{\"a\":[]},{}]"},
        {"{\"a\":\"x,\",\"partialJson\":1}", "{\"a\":\"x,\"}"},
        {"{\"partialJson\":{\"partialJson\":{}},\"signature\":\"s\"}",
         "{\"signature\":\"s\"}"},
    };
    size_t i;

    for (i = 0; i < sizeof pairs / sizeof *pairs; i++)
        becomes(pairs[i][1], pairs[i][0]);
}

TEST(lines_are_counted_again_when_something_changed)
{
    static const char *const pairs[][2] = {
        {"{\"content\":\"a\\nb\\u000ac\\u000A\",\"lineCount\":9,"
         "\"partialJson\":1}",
         "{\"content\":\"a\\nb\\u000ac\\u000A\",\"lineCount\":4}"},
        {"{\"lineCount\":0,\"jsonlEvents\":1,\"content\":\"\"}",
         "{\"lineCount\":1,\"content\":\"\"}"},
        {"{\"lineCount\":2,\"content\":\"\\\\n\\n\",\"x\":{\"partialJson\":1}}",
         "{\"lineCount\":2,\"content\":\"\\\\n\\n\",\"x\":{}}"},
        {"{\"lineCount\":1e0,\"content\":\"\",\"x\":[[{\"partialJson\":1}]]}",
         "{\"lineCount\":1,\"content\":\"\",\"x\":[[{}]]}"},
        /* not in the object that changed */
        {"{\"x\":{\"lineCount\":9,\"content\":\"\"},\"partialJson\":1}",
         "{\"x\":{\"lineCount\":9,\"content\":\"\"}}"},
        /* neither of these is both a string and a number */
        {"{\"lineCount\":\"9\",\"content\":\"\",\"partialJson\":1}",
         "{\"lineCount\":\"9\",\"content\":\"\"}"},
        {"{\"lineCount\":9,\"content\":[],\"partialJson\":1}",
         "{\"lineCount\":9,\"content\":[]}"},
        {"{\"lineCount\":9,\"partialJson\":1}", "{\"lineCount\":9}"},
        /* the last of a name counts */
        {"{\"lineCount\":9,\"lineCount\":8,\"content\":[],\"content\":\"\\n\","
         "\"partialJson\":1}",
         "{\"lineCount\":9,\"lineCount\":2,\"content\":[],\"content\":\"\\n\"}"},
        {"{\"lineCount\":9,\"content\":\"\",\"content\":{},\"partialJson\":1}",
         "{\"lineCount\":9,\"content\":\"\",\"content\":{}}"},
    };
    size_t i;

    for (i = 0; i < sizeof pairs / sizeof *pairs; i++)
        becomes(pairs[i][1], pairs[i][0]);
}

TEST(lines_of_a_cut_string_are_those_it_has_left)
{
    const char *lines = run("x\\n", LIMIT / 2 + 1);
    struct buf want = fresh();

    /* x first, so that 499,953 units end with an x */
    buf_add_str(&want, "{\"content\":\"");
    buf_add_str(&want, run("x\\n", KEPT / 2));
    buf_add_str(&want, "x" PERSIST_NOTICE "\",\"lineCount\":");
    buf_addf(&want, "%d}", KEPT / 2 + 2 + 1);
    becomes(kept(&want),
            join("{\"content\":\"", lines, "\",\"lineCount\":250002}"));
    /* sealed: nothing is cut, but a member went */
    becomes(join("{\"s\":{\"content\":\"", lines,
                 "\",\"lineCount\":250002},\"signature\":\"s\"}"),
            join("{\"s\":{\"content\":\"", lines,
                 "\",\"lineCount\":1,\"partialJson\":0},\"signature\":\"s\"}"));
    becomes(join("{\"content\":\"", lines,
                 "\",\"lineCount\":250002,\"signature\":\"s\"}"),
            join("{\"content\":\"", lines,
                 "\",\"lineCount\":1,\"partialJson\":0,\"signature\":\"s\"}"));
    becomes(join("{\"content\":\"", lines,
                 "\",\"lineCount\":250002,\"x\":[{}],\"signature\":\"s\"}"),
            join("{\"content\":\"", lines,
                 "\",\"lineCount\":1,\"x\":[{\"partialJson\":0}],"
                 "\"signature\":\"s\"}"));
    /* not cut for being a URL */
    becomes(join("{\"content\":\"data:a;base64,", lines,
                 "\",\"lineCount\":250002}"),
            join("{\"content\":\"data:a;base64,", lines,
                 "\",\"partialJson\":0,\"lineCount\":1}"));
}

/* ---- images ------------------------------------------------------------- */

static int n_missing;

static void count_missing(void *ctx, const quire_digest *d)
{
    (void)ctx;
    (void)d;
    n_missing++;
}

static const char *hydrated(const char *value, struct blobs *blobs)
{
    struct arena tmp = ARENA_INIT;
    struct buf out = fresh();

    n_missing = 0;
    OK(persist_hydrate(bytes_str(value), blobs, &tmp, &out, count_missing, NULL,
                       &test_err));
    arena_release(&tmp);
    return kept(&out);
}

/* The entry has one image, which is put, and comes back. */
static void moves(struct fix *f, const char *before, const char *data,
                  const char *after)
{
    const char *entry = join(before, join("\"", data, "\""), after);
    const char *out = persisted(entry, f->blobs);
    size_t at = strlen(before);

    YES(strlen(out) == at + 2 + QUIRE_REF_SIZE - 1 + strlen(after));
    YES(!strncmp(out, before, at));
    YES(!strncmp(out + at, "\"blob:sha256:", 13));
    SAME_TEXT(after, out + at + 2 + QUIRE_REF_SIZE - 1);
    YES(!strcmp(entry, hydrated(out, f->blobs)));
    EQ(0, n_missing);
}

static void images_move(struct fix *f)
{
    const char *small = noise64(1, 1024), *large = noise64(2, 400000);

    moves(f, "{\"content\":[{\"type\":\"image\",\"data\":", small, "}]}");
    moves(f, "{\"content\":[1,{\"data\":", large,
          ",\"type\":\"image\"}],\"z\":1}");
    moves(
        f,
        "{\"message\":{\"content\":[{\"type\":\"x\",\"content\":[{\"mimeType\""
        ":\"image\\/png\",\"data\":",
        small, "}]}]}}");
    moves(f, "{\"images\":[{\"mediaType\":\"image/gif\",\"data\":", small,
          "}]}");
    moves(f, "{\"frames\":[ {\"type\" : \"image\" , \"data\" : ", large,
          " } ]}");
    /* of two, the last */
    moves(f,
          "{\"content\":[{\"data\":\"x\",\"type\":\"image\",\"data\":", small,
          "}]}");
    /* an image may be signed for all we care: nothing is lost */
    moves(f, "{\"content\":[{\"signature\":\"s\",\"type\":\"image\",\"data\":",
          small, "}]}");
}

TEST(images_become_references_and_come_back)
{
    fix_each(images_move);
}

TEST(an_image_is_stored_as_its_bytes)
{
    struct fix f;
    char raw[768];
    quire_digest d;
    struct buf text = fresh();

    fix_open(&f, QUIRE_LAYOUT_LOOSE, false);
    test_noise(9, raw, sizeof raw);
    base64_encode(bytes_of(raw, sizeof raw), &text);
    persisted(join("{\"content\":[{\"type\":\"image\",\"data\":\"", kept(&text),
                   "\"}]}"),
              f.blobs);
    d = fix_put(&f, bytes_str("x"));
    YES(fix_has(&f, &d));
    {
        quire_blob_info info;
        quire_bytes out;

        OK(blob_put(f.blobs, bytes_of(raw, sizeof raw), 0, &info, &test_err));
        OK(blob_get(f.blobs, &info.digest, &out, &test_err));
        SAME(bytes_of(raw, sizeof raw), out);
    }
    fix_close(&f);
}

static void same_in(struct fix *f, const char *before, const char *data,
                    const char *after)
{
    stays(join(before, join("\"", data, "\""), after), f->blobs);
}

TEST(what_is_no_image_in_its_place_stays)
{
    static const char image[] = "{\"content\":[{\"type\":\"image\",\"data\":";
    const char *data = noise64(3, 2000), *odd;
    struct fix f;
    char *spoilt = strcpy(test_alloc(2001), data);

    fix_open(&f, QUIRE_LAYOUT_LOOSE, false);
    /* the length of the text, not of its spelling */
    same_in(&f, image, noise64(4, 1020), "}]}");
    same_in(&f, image, run("A", 1023), "}]}");
    same_in(&f, image, join("\\u0041", run("A", 1019), ""), "}]}");
    /* spellings we would not give back */
    spoilt[7] = '-';
    same_in(&f, image, spoilt, "}]}");
    spoilt[7] = '_';
    same_in(&f, image, spoilt, "}]}");
    spoilt[7] = ' ';
    same_in(&f, image, spoilt, "}]}");
    same_in(&f, image, join(noise64(5, 1024), "\\n", noise64(5, 1023 / 4 * 4)),
            "}]}");
    same_in(&f, image, join(noise64(5, 1024), "\\r\\n", ""), "}]}");
    same_in(&f, image, join(run("A", 1025), "", ""), "}]}");
    same_in(&f, image, join(run("A", 1025), "B==", ""), "}]}");
    same_in(&f, image, run("x\\u0000", 1024), "}]}");
    same_in(&f, image, run("\\ud800", 1024), "}]}");
    same_in(&f, image, join(run("A", 1024), "\xff\xff\xff\xff", ""), "}]}");
    /* a reference already, of whatever */
    odd = join("blob:sha256:", run("A", 1024), "");
    same_in(&f, image, odd, "}]}");
    /* other places */
    same_in(&f, "{\"details\":{\"image\":{\"type\":\"image\",\"data\":", data,
            "}}}");
    same_in(&f, "{\"content\":{\"type\":\"image\",\"data\":", data, "}}");
    same_in(&f, "{\"content\":[[{\"type\":\"image\",\"data\":", data, "}]]}");
    same_in(&f, "[{\"type\":\"image\",\"data\":", data, "}]");
    same_in(&f, "{\"content\":[{\"type\":\"text\",\"data\":", data, "}]}");
    same_in(&f,
            "{\"content\":[{\"type\":\"file\",\"mimeType\":\"a/b\",\"data\":",
            data, "}]}");
    same_in(&f, "{\"content\":[{\"type\":\"image\",\"source\":{\"data\":", data,
            "}}]}");
    same_in(&f, "{\"content\":[{\"type\":\"image\",\"data\":", data,
            ",\"data\":0}]}");
    same_in(&f, "{\"content\":[{\"type\":\"image\",\"data\":", data,
            ",\"type\":\"x\"}]}");
    fix_close(&f);
}

TEST(an_image_too_large_to_read_but_not_ours_to_spell_stays_whole)
{
    const char *data = run("-_Az", LIMIT / 4 + 1);
    struct fix f;

    fix_open(&f, QUIRE_LAYOUT_LOOSE, false);
    same_in(&f, "{\"content\":[{\"type\":\"image\",\"data\":", data, "}]}");
    moves(&f, "{\"content\":[{\"type\":\"image\",\"data\":",
          noise64(6, LIMIT + 100), "}]}");
    fix_close(&f);
}

TEST(omp_wants_the_type_in_content)
{
    const char *data = noise64(3, 2000);
    const char *mime = join("[{\"mimeType\":\"image/png\",\"data\":\"", data,
                            "\"}]");
    const char *typed = join("[{\"type\":\"image\",\"data\":\"", data, "\"}]");
    struct fix f;

    fix_open(&f, QUIRE_LAYOUT_FLAT, false);
    mime = join("{\"content\":", mime, "}");
    SAME_TEXT(mime, persisted_as(mime, f.blobs, true));
    HAS(persisted_as(mime, f.blobs, false), "blob:sha256:");
    HAS(persisted_as(join("{\"images\":", mime + 11, ""), f.blobs, true),
        "blob:sha256:");
    HAS(persisted_as(join("{\"content\":", typed, "}"), f.blobs, true),
        "blob:sha256:");
    fix_close(&f);
}

TEST(spelled_out_base64_is_read_as_what_it_means)
{
    struct fix f;
    const char *plain = join(run("A", 1020), "/+/+", "");
    const char *spelled = join(run("A", 1020), "\\/\\u002b\\/+", "");
    const char *a, *b;

    fix_open(&f, QUIRE_LAYOUT_FLAT, false);
    a = persisted(join("{\"content\":[{\"type\":\"image\",\"data\":\"", plain,
                       "\"}]}"),
                  f.blobs);
    b = persisted(join("{\"content\":[{\"type\":\"image\",\"data\":\"", spelled,
                       "\"}]}"),
                  f.blobs);
    HAS(a, "blob:sha256:");
    SAME_TEXT(a, b);
    HAS(hydrated(b, f.blobs), "A/+/+\"");
    fix_close(&f);
}

static void urls_move(struct fix *f)
{
    moves(f, "{\"image_url\":", "data:image/png;base64,", "}");
    moves(f, "[{\"x\":{\"image_url\":", "data:image/x;base64,\\n\\\"\xc3\xa4",
          "}}]");
    moves(f, "{\"image_url\":",
          join("data:image/png;a=b;base64,", noise64(7, LIMIT + 100), ""),
          ",\"z\":0}");
}

TEST(image_urls_become_references_whatever_their_size)
{
    fix_each(urls_move);
}

TEST(a_url_that_is_no_text_stays)
{
    struct fix f;

    fix_open(&f, QUIRE_LAYOUT_FLAT, false);
    stays("{\"image_url\":\"data:image/png;base64,\\ud800\"}", f.blobs);
    stays("{\"image_url\":\"data:image/png;base64,\xff\"}", f.blobs);
    stays("{\"image_url\":{\"url\":\"data:image/png;base64,AAAA\"}}", f.blobs);
    stays("{\"image_url\":[\"data:image/png;base64,AAAA\"]}", f.blobs);
    stays("{\"imageUrl\":\"data:image/png;base64,AAAA\"}", f.blobs);
    stays("{\"image_url\":\"data:text/plain;base64,AAAA\"}", f.blobs);
    fix_close(&f);
}

/* ---- the way back ------------------------------------------------------- */

#define HEX "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"

TEST(a_reference_to_nothing_stays_and_is_reported)
{
    const char *two =
        "{\"content\":[{\"type\":\"image\",\"data\":\"blob:sha256:" HEX
        "\"}],\"image_url\":\"blob:sha256:" HEX "\"}";
    struct fix f;

    fix_open(&f, QUIRE_LAYOUT_FLAT, true);
    memset(&test_err, 0, sizeof test_err);
    SAME_TEXT(two, hydrated(two, f.blobs));
    EQ(2, n_missing);
    SAME_TEXT("", test_err.what);
    SAME_TEXT(two, hydrated(two, NULL));
    EQ(2, n_missing);
    fix_close(&f);
}

TEST(a_damaged_blob_is_as_good_as_none)
{
    struct fix f;
    const char *entry, *out;
    quire_digest d;
    char ref[QUIRE_REF_SIZE];

    fix_open(&f, QUIRE_LAYOUT_FLAT, true);
    d = fix_put(&f, bytes_str("what an image is made of"));
    quire_ref_format(&d, ref);
    entry = join("{\"images\":[{\"type\":\"image\",\"data\":\"", ref, "\"}]}");
    HAS(hydrated(entry, f.blobs), "d2hhdCBhbiBpbWFnZSBpcyBtYWRlIG9m");
    test_write_file(fix_file(&f, &d), bytes_str("what an image is made on"));
    out = hydrated(entry, f.blobs);
    SAME_TEXT(entry, out);
    EQ(1, n_missing);
    fix_close(&f);
}

TEST(bytes_that_are_no_text_are_no_url)
{
    struct fix f;
    char ref[QUIRE_REF_SIZE];
    const char *entry;
    quire_digest d;

    fix_open(&f, QUIRE_LAYOUT_FLAT, false);
    d = fix_put(&f, bytes_of("\xff\xfe", 2));
    quire_ref_format(&d, ref);
    entry = join("{\"image_url\":\"", ref, "\"}");
    SAME_TEXT(entry, hydrated(entry, f.blobs));
    EQ(1, n_missing);
    fix_close(&f);
}

TEST(only_an_exact_reference_in_its_place_is_followed)
{
    static const char *const forms[][2] = {
        {"{\"content\":[{\"type\":\"image\",\"data\":\"", "\"}]}"},
        {"{\"content\":{\"type\":\"image\",\"data\":\"", "\"}}"},
        {"{\"frames\":[{\"mimeType\":\"image/png\",\"data\":\"", "\"}]}"},
        {"{\"type\":\"image_generation_call\",\"result\":\"", "\"}"},
    };
    static const char *const others[][2] = {
        {"{\"details\":{\"type\":\"image\",\"data\":\"", "\"}}"},
        {"{\"content\":[{\"type\":\"text\",\"data\":\"", "\"}]}"},
        {"{\"content\":[{\"type\":\"image\",\"data\":\"x", "\"}]}"},
        {"{\"content\":[{\"type\":\"image\",\"data\":\"", "0\"}]}"},
        {"{\"content\":[{\"type\":\"image\",\"data\":\"", "/../x\"}]}"},
        {"{\"content\":[{\"type\":\"image\",\"data\":\"", "\",\"data\":1}]}"},
        {"{\"result\":\"", "\"}"},
    };
    struct fix f;
    char ref[QUIRE_REF_SIZE];
    quire_digest d;
    size_t i;

    fix_open(&f, QUIRE_LAYOUT_FLAT, false);
    d = fix_put(&f, bytes_str("what an image is made of"));
    quire_ref_format(&d, ref);
    for (i = 0; i < sizeof forms / sizeof *forms; i++) {
        SAME_TEXT(join(forms[i][0], "d2hhdCBhbiBpbWFnZSBpcyBtYWRlIG9m",
                       forms[i][1]),
                  hydrated(join(forms[i][0], ref, forms[i][1]), f.blobs));
        HAS(hydrated(join(forms[i][0], join("\\u0062lob\\u003a", ref + 5, ""),
                          forms[i][1]),
                     f.blobs),
            "d2hhdCBhbiBpbWFnZSBpcyBtYWRlIG9m");
    }
    for (i = 0; i < sizeof others / sizeof *others; i++) {
        const char *same = join(others[i][0], ref, others[i][1]);

        SAME_TEXT(same, hydrated(same, f.blobs));
        EQ(0, n_missing);
    }
    hydrated("{\"image_url\":\"blob:sha256:" HEX "\"}", f.blobs);
    EQ(1, n_missing);
    hydrated(
        "{\"image_url\":\"blob:sha256:00112233445566778899AABBCCDDEEFF00112"
        "233445566778899aabbccddeeff\"}",
        f.blobs);
    EQ(0, n_missing);
    fix_close(&f);
}

/* ---- references --------------------------------------------------------- */

static quire_status count(void *ctx, const quire_digest *d, quire_error *err)
{
    char ref[QUIRE_REF_SIZE];

    quire_ref_format(d, ref);
    SAME_TEXT("blob:sha256:" HEX, ref);
    if (++*(int *)ctx < 5)
        return QUIRE_OK;
    if (err)
        err->what[0] = '\0';
    return QUIRE_STOPPED;
}

static int refs(const char *value)
{
    int n = 0;
    size_t len = strlen(value);
    void *exact = malloc(len);
    quire_status st;

    memcpy(exact, value, len);
    st = persist_refs(bytes_of(exact, len), count, &n, &test_err);
    free(exact);
    EQ(n < 5 ? QUIRE_OK : QUIRE_STOPPED, st);
    return n;
}

#define REF "blob:sha256:" HEX

TEST(references_are_found_in_any_string)
{
    EQ(1, refs("\"" REF "\""));
    EQ(1, refs("{\"" REF "\":1}"));
    EQ(3, refs("[\"x " REF " y" REF REF "\"]"));
    EQ(1, refs("{\"a\":{\"b\":[[\"\\n\\\"" REF "f\"]]}}"));
    EQ(1, refs("\"\\u0062lob:sh\\u0061256\\u003a" HEX "\""));
    EQ(1, refs("\"\\\\" REF "\""));
    EQ(1, refs("\"\\u001b[1m" REF "\""));
    EQ(1,
       refs("\"blob:sha256:00112233445566778899AABBCCDDEEFF001122334455667788"
            "99aabbccddeeff\""));
    EQ(1, refs("\"blob:sha256:blob:sha256:" HEX "\""));
    EQ(0, refs("\"\\" REF "\""));
    EQ(0,
       refs("\"blob:sha256:00112233445566778899aabbccddeeff001122334455667788"
            "99aabbccddeef\""));
    EQ(0, refs("\"sha256:" HEX "\""));
    EQ(0, refs("{}"));
    EQ(5, refs("[\"" REF REF REF "\",\"" REF REF REF REF "\"]"));
}

/* ---- damage and bad luck ------------------------------------------------ */

TEST(what_is_no_json_is_not_persisted)
{
    static const char *const wrong[] = {
        "",     "{",   "{\"partialJson\":1,}", "{\"partialJson\":[1}",
        "[1,]", "{}x", "{\"a\":\"\\x\"}",      "\"\n\"",
    };
    size_t i;

    for (i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct arena tmp = ARENA_INIT;
        struct buf out = fresh();
        int n = 0;

        IS(QUIRE_INVALID, persist_entry(bytes_str(wrong[i]), NULL, false, &tmp,
                                        &out, &test_err));
        HAS(test_err.what, "not JSON");
        IS(QUIRE_INVALID, persist_hydrate(bytes_str(wrong[i]), NULL, &tmp, &out,
                                          NULL, NULL, &test_err));
        IS(QUIRE_INVALID,
           persist_refs(bytes_str(wrong[i]), count, &n, &test_err));
        EQ(0, out.len);
        arena_release(&tmp);
        buf_release(&out);
    }
}

TEST(depth_is_no_trouble_up_to_where_json_ends)
{
    const char *deep = run("{\"a\":", 500), *end = run("}", 500);

    stays(join(deep, "1", end), NULL);
    becomes(join(deep, "{}", end), join(deep, "{\"partialJson\":1}", end));
    stays(join(run("[", 512), "", run("]", 512)), NULL);
    {
        const char *past = join(run("[", 513), "", run("]", 513));
        struct arena tmp = ARENA_INIT;
        struct buf out = fresh();

        IS(QUIRE_INVALID,
           persist_entry(bytes_str(past), NULL, false, &tmp, &out, &test_err));
        arena_release(&tmp);
    }
}

/* What an entry costs in memory: its changes, not its values. */
TEST(an_entry_of_many_values_takes_no_memory_for_them)
{
    const char *many = join("[0", run(",{\"a\":[1,\"x\"]}", 200000), "]");
    struct arena tmp = ARENA_INIT;
    struct buf out = fresh();

    OK(persist_entry(bytes_str(many), NULL, false, &tmp, &out, &test_err));
    SAME(bytes_str(many), buf_bytes(&out));
    YES(tmp.used < 8192);
    arena_release(&tmp);
    buf_release(&out);
}

TEST(persisting_survives_each_allocation_failing)
{
    const char *data = noise64(8, 2000);
    struct buf entry = fresh();
    const char *text;
    long n;

    buf_addf(&entry, "{\"content\":[{\"type\":\"image\",\"data\":\"%s\"}],",
             data);
    buf_addf(&entry,
             "\"images\":[{\"mimeType\":\"image\\/png\",\"data\":\"%s"
             "AAA\\/\"}],",
             data);
    buf_addf(&entry, "\"image_url\":\"data:image\\/png;base64,%s\",", data);
    buf_addf(&entry, "\"x\":{\"content\":\"%s\",\"lineCount\":5}",
             run("y", LIMIT + 1));
    buf_addf(&entry, ",\"deep\":%s{\"partialJson\":0}%s}", run("[", 40),
             run("]", 40));
    text = kept(&entry);
    for (n = 1;; n++) {
        struct arena tmp = ARENA_INIT;
        struct buf out = fresh(), back = fresh();
        quire_status st;
        struct fix f;
        bool struck;
        int n_refs = 0;

        fix_open(&f, QUIRE_LAYOUT_FLAT, false);
        fault_arm(n, ENOMEM, n % 2);
        st = persist_entry(bytes_str(text), f.blobs, false, &tmp, &out,
                           &test_err);
        if (!st)
            st = persist_hydrate(buf_bytes(&out), f.blobs, &tmp, &back, NULL,
                                 NULL, &test_err);
        if (!st)
            st = persist_refs(bytes_str("\"\\u0062lob" REF "\""), count,
                              &n_refs, &test_err);
        struck = fault_disarm();
        /* Some can do without what they did not get. */
        YES(struck ? !st || st == QUIRE_NO_MEMORY || st == QUIRE_IO : !st);
        if (!st) {
            YES(json_check(buf_bytes(&back), 0, NULL));
            EQ(1, n_refs);
        }
        fix_close(&f);
        arena_release(&tmp);
        buf_release(&out);
        buf_release(&back);
        if (!struck)
            break;
    }
    YES(n > 10);
}
