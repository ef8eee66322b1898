#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/base64.h"
#include "base/bytes.h"
#include "base/json.h"
#include "session/persist.h"
#include "support/persist.h"

#define LIMIT 500000
#define KEPT  (LIMIT - 47)

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
        txt_stays(entries[i], NULL);
}

TEST(half_a_million_units_stay_and_one_more_is_cut)
{
    const char *units[] = {"x",       "\xc3\xa4", "\xe2\x82\xac", "\\n",
                           "\\u20ac", "\\ud800",  "\xff"};
    size_t i;

    for (i = 0; i < sizeof units / sizeof *units; i++) {
        const char *all = txt_run(units[i], LIMIT);

        txt_stays(txt_join("{\"a\":\"", all, "\"}"), NULL);
        txt_becomes(txt_join("{\"a\":\"", txt_run(units[i], KEPT),
                             PERSIST_NOTICE "\"}"),
                    txt_join(txt_join("{\"a\":\"", all, ""), units[i], "\"}"));
    }
    EQ(LIMIT, json_count_utf16(bytes_str(
                  txt_persisted(txt_join("\"", txt_run("y", LIMIT + 1), "\""),
                                NULL))));
}

TEST(a_pair_is_never_split)
{
    const char *pairs[] = {"\xf0\x9f\x98\x80", "\\ud83d\\ude00"};
    size_t i;

    for (i = 0; i < 2; i++) {
        const char *tail = txt_run("z", 60);

        /* the pair's first half would be the last unit kept */
        txt_becomes(txt_join(txt_join("\"", txt_run("x", KEPT - 1), ""), "",
                             PERSIST_NOTICE "\""),
                    txt_join(txt_join("\"", txt_run("x", KEPT - 1), pairs[i]),
                             tail, "\""));
        /* it just fits */
        txt_becomes(txt_join(txt_join("\"", txt_run("x", KEPT - 2), pairs[i]),
                             "", PERSIST_NOTICE "\""),
                    txt_join(txt_join("\"", txt_run("x", KEPT - 2), pairs[i]),
                             tail, "\""));
        /* two halves that are no pair are two units */
        txt_becomes(txt_join(txt_join("\"", txt_run("x", KEPT - 1), "\\ude00"),
                             "", PERSIST_NOTICE "\""),
                    txt_join(txt_join("\"", txt_run("x", KEPT - 1),
                                      "\\ude00\\ud83d"),
                             tail, "\""));
        /* the limit itself falls into a pair */
        txt_becomes(txt_join("\"", txt_run("x", KEPT), PERSIST_NOTICE "\""),
                    txt_join(txt_join("\"", txt_run("x", LIMIT - 1), pairs[i]),
                             "", "\""));
    }
}

TEST(an_escape_is_never_split)
{
    txt_becomes(txt_join(txt_join("\"", txt_run("x", KEPT - 1), "\\u0041"), "",
                         PERSIST_NOTICE "\""),
                txt_join(txt_join("\"", txt_run("x", KEPT - 1),
                                  "\\u0041\\u0042"),
                         txt_run("\\\\", 60), "\""));
    txt_becomes(txt_join(txt_join("\"", txt_run("x", KEPT), ""), "",
                         PERSIST_NOTICE "\""),
                txt_join(txt_join("\"", txt_run("x", KEPT), "\\\""),
                         txt_run("\\\"", 60), "\""));
}

TEST(strings_are_cut_wherever_they_are)
{
    const char *vast = txt_join("\"", txt_run("x", LIMIT + 1), "\"");
    const char *cut = txt_join("\"", txt_run("x", KEPT), PERSIST_NOTICE "\"");

    txt_becomes(cut, vast);
    txt_becomes(txt_join("[", cut, "]"), txt_join("[", vast, "]"));
    txt_becomes(txt_join("{\"a\":[[{\"b\":", cut, "}]]}"),
                txt_join("{\"a\":[[{\"b\":", vast, "}]]}"));
    txt_becomes(txt_join("{\"data\":", cut, "}"),
                txt_join("{\"data\":", vast, "}"));
    txt_becomes(txt_join("{\"content\":", cut, "}"),
                txt_join("{\"content\":", vast, "}"));
    txt_becomes(txt_join("{\"image_url\":", cut, "}"),
                txt_join("{\"image_url\":", vast, "}"));
    txt_becomes(txt_join("{\"type\":", cut, "}"),
                txt_join("{\"type\":", vast, "}"));
    /* keys are not */
    txt_stays(txt_join("{", vast, ":1}"), NULL);
}

TEST(base64_is_never_cut)
{
    const char *vast = txt_join("\"", txt_run("A", LIMIT + 4), "\"");
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
        txt_stays(txt_join(forms[i][0], vast, forms[i][1]), NULL);
    vast = txt_run("A", LIMIT + 4);
    txt_stays(txt_join("\"data:image/png;base64,", vast, "\""), NULL);
    txt_stays(txt_join("{\"data\":\"data:;base64,", vast, "\"}"), NULL);
    txt_stays(txt_join("[\"data:image\\/png;charset=x;base64,", vast, "\"]"),
              NULL);
    txt_stays(txt_join("{\"image_url\":\"data:image\\/png;base64,", vast,
                       "\"}"),
              NULL);
    /* these are text */
    txt_becomes(txt_join("\"data: ", txt_run("A", KEPT - 6),
                         PERSIST_NOTICE "\""),
                txt_join("\"data: ", vast, "\""));
    txt_becomes(txt_join("\"data:,;base64,", txt_run("A", KEPT - 14),
                         PERSIST_NOTICE "\""),
                txt_join("\"data:,;base64,", vast, "\""));
}

TEST(what_is_signed_or_encrypted_is_never_cut)
{
    const char *vast = txt_join("\"", txt_run("x", LIMIT + 1), "\"");
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
        txt_stays(txt_join(forms[i][0], vast, forms[i][1]), NULL);
}

TEST(an_empty_signature_signs_nothing)
{
    const char *vast = txt_join("\"", txt_run("x", LIMIT + 1), "\"");
    const char *cut = txt_join("\"", txt_run("x", KEPT), PERSIST_NOTICE "\"");
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
        txt_becomes(txt_join(forms[i][0], cut, forms[i][1]),
                    txt_join(forms[i][0], vast, forms[i][1]));
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
        txt_becomes(pairs[i][1], pairs[i][0]);
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
        txt_becomes(pairs[i][1], pairs[i][0]);
}

TEST(lines_of_a_cut_string_are_those_it_has_left)
{
    const char *lines = txt_run("x\\n", LIMIT / 2 + 1);
    struct buf want = txt_fresh();

    /* x first, so that 499,953 units end with an x */
    buf_add_str(&want, "{\"content\":\"");
    buf_add_str(&want, txt_run("x\\n", KEPT / 2));
    buf_add_str(&want, "x" PERSIST_NOTICE "\",\"lineCount\":");
    buf_addf(&want, "%d}", KEPT / 2 + 2 + 1);
    txt_becomes(txt_kept(&want),
                txt_join("{\"content\":\"", lines, "\",\"lineCount\":250002}"));
    /* sealed: nothing is cut, but a member went */
    txt_becomes(
        txt_join("{\"s\":{\"content\":\"", lines,
                 "\",\"lineCount\":250002},\"signature\":\"s\"}"),
        txt_join("{\"s\":{\"content\":\"", lines,
                 "\",\"lineCount\":1,\"partialJson\":0},\"signature\":\"s\"}"));
    txt_becomes(
        txt_join("{\"content\":\"", lines,
                 "\",\"lineCount\":250002,\"signature\":\"s\"}"),
        txt_join("{\"content\":\"", lines,
                 "\",\"lineCount\":1,\"partialJson\":0,\"signature\":\"s\"}"));
    txt_becomes(
        txt_join("{\"content\":\"", lines,
                 "\",\"lineCount\":250002,\"x\":[{}],\"signature\":\"s\"}"),
        txt_join("{\"content\":\"", lines,
                 "\",\"lineCount\":1,\"x\":[{\"partialJson\":0}],"
                 "\"signature\":\"s\"}"));
    /* not cut for being a URL */
    txt_becomes(txt_join("{\"content\":\"data:a;base64,", lines,
                         "\",\"lineCount\":250002}"),
                txt_join("{\"content\":\"data:a;base64,", lines,
                         "\",\"partialJson\":0,\"lineCount\":1}"));
}

/* ---- images ------------------------------------------------------------- */

/* The entry has one image, which is put, and comes back. */
static void moves(struct fix *f, const char *before, const char *data,
                  const char *after)
{
    const char *entry = txt_join(before, txt_join("\"", data, "\""), after);
    const char *out = txt_persisted(entry, f->blobs);
    size_t at = strlen(before);

    YES(strlen(out) == at + 2 + QUIRE_REF_SIZE - 1 + strlen(after));
    YES(!strncmp(out, before, at));
    YES(!strncmp(out + at, "\"blob:sha256:", 13));
    SAME_TEXT(after, out + at + 2 + QUIRE_REF_SIZE - 1);
    YES(!strcmp(entry, txt_hydrated(out, f->blobs)));
    EQ(0, persist_missing);
}

static void images_move(struct fix *f)
{
    const char *small = txt_noise64(1, 1024), *large = txt_noise64(2, 400000);

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
    struct buf text = txt_fresh();

    fix_open(&f, QUIRE_LAYOUT_LOOSE, false);
    test_noise(9, raw, sizeof raw);
    base64_encode(bytes_of(raw, sizeof raw), &text);
    txt_persisted(txt_join("{\"content\":[{\"type\":\"image\",\"data\":\"",
                           txt_kept(&text), "\"}]}"),
                  f.blobs);
    d = fix_put(&f, bytes_str("x"));
    YES(fix_has(&f, &d));
    {
        quire_blob_info info;
        quire_bytes out;

        OK(blob_put(blob_view_all(f.blobs), bytes_of(raw, sizeof raw), 0, &info,
                    &test_err));
        OK(blob_get(blob_view_all(f.blobs), &info.digest, &out, &test_err));
        SAME(bytes_of(raw, sizeof raw), out);
    }
    fix_close(&f);
}

static void same_in(struct fix *f, const char *before, const char *data,
                    const char *after)
{
    txt_stays(txt_join(before, txt_join("\"", data, "\""), after), f->blobs);
}

TEST(what_is_no_image_in_its_place_stays)
{
    static const char image[] = "{\"content\":[{\"type\":\"image\",\"data\":";
    const char *data = txt_noise64(3, 2000), *odd;
    struct fix f;
    char *spoilt = strcpy(test_alloc(2001), data);

    fix_open(&f, QUIRE_LAYOUT_LOOSE, false);
    /* the length of the text, not of its spelling */
    same_in(&f, image, txt_noise64(4, 1020), "}]}");
    same_in(&f, image, txt_run("A", 1023), "}]}");
    same_in(&f, image, txt_join("\\u0041", txt_run("A", 1019), ""), "}]}");
    /* spellings we would not give back */
    spoilt[7] = '-';
    same_in(&f, image, spoilt, "}]}");
    spoilt[7] = '_';
    same_in(&f, image, spoilt, "}]}");
    spoilt[7] = ' ';
    same_in(&f, image, spoilt, "}]}");
    same_in(&f, image,
            txt_join(txt_noise64(5, 1024), "\\n", txt_noise64(5, 1023 / 4 * 4)),
            "}]}");
    same_in(&f, image, txt_join(txt_noise64(5, 1024), "\\r\\n", ""), "}]}");
    same_in(&f, image, txt_join(txt_run("A", 1025), "", ""), "}]}");
    same_in(&f, image, txt_join(txt_run("A", 1025), "B==", ""), "}]}");
    same_in(&f, image, txt_run("x\\u0000", 1024), "}]}");
    same_in(&f, image, txt_run("\\ud800", 1024), "}]}");
    same_in(&f, image, txt_join(txt_run("A", 1024), "\xff\xff\xff\xff", ""),
            "}]}");
    /* a reference already, of whatever */
    odd = txt_join("blob:sha256:", txt_run("A", 1024), "");
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
    const char *data = txt_run("-_Az", LIMIT / 4 + 1);
    struct fix f;

    fix_open(&f, QUIRE_LAYOUT_LOOSE, false);
    same_in(&f, "{\"content\":[{\"type\":\"image\",\"data\":", data, "}]}");
    moves(&f, "{\"content\":[{\"type\":\"image\",\"data\":",
          txt_noise64(6, LIMIT + 100), "}]}");
    fix_close(&f);
}

TEST(omp_wants_the_type_in_content)
{
    const char *data = txt_noise64(3, 2000);
    const char *mime = txt_join("[{\"mimeType\":\"image/png\",\"data\":\"",
                                data, "\"}]");
    const char *typed = txt_join("[{\"type\":\"image\",\"data\":\"", data,
                                 "\"}]");
    struct fix f;

    fix_open(&f, QUIRE_LAYOUT_FLAT, false);
    mime = txt_join("{\"content\":", mime, "}");
    SAME_TEXT(mime, txt_persisted_as(mime, f.blobs, true));
    HAS(txt_persisted_as(mime, f.blobs, false), "blob:sha256:");
    HAS(txt_persisted_as(txt_join("{\"images\":", mime + 11, ""), f.blobs,
                         true),
        "blob:sha256:");
    HAS(txt_persisted_as(txt_join("{\"content\":", typed, "}"), f.blobs, true),
        "blob:sha256:");
    fix_close(&f);
}

TEST(spelled_out_base64_is_read_as_what_it_means)
{
    struct fix f;
    const char *plain = txt_join(txt_run("A", 1020), "/+/+", "");
    const char *spelled = txt_join(txt_run("A", 1020), "\\/\\u002b\\/+", "");
    const char *a, *b;

    fix_open(&f, QUIRE_LAYOUT_FLAT, false);
    a = txt_persisted(txt_join("{\"content\":[{\"type\":\"image\",\"data\":\"",
                               plain, "\"}]}"),
                      f.blobs);
    b = txt_persisted(txt_join("{\"content\":[{\"type\":\"image\",\"data\":\"",
                               spelled, "\"}]}"),
                      f.blobs);
    HAS(a, "blob:sha256:");
    SAME_TEXT(a, b);
    HAS(txt_hydrated(b, f.blobs), "A/+/+\"");
    fix_close(&f);
}

static void urls_move(struct fix *f)
{
    moves(f, "{\"image_url\":", "data:image/png;base64,", "}");
    moves(f, "[{\"x\":{\"image_url\":", "data:image/x;base64,\\n\\\"\xc3\xa4",
          "}}]");
    moves(f, "{\"image_url\":",
          txt_join("data:image/png;a=b;base64,", txt_noise64(7, LIMIT + 100),
                   ""),
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
    txt_stays("{\"image_url\":\"data:image/png;base64,\\ud800\"}", f.blobs);
    txt_stays("{\"image_url\":\"data:image/png;base64,\xff\"}", f.blobs);
    txt_stays("{\"image_url\":{\"url\":\"data:image/png;base64,AAAA\"}}",
              f.blobs);
    txt_stays("{\"image_url\":[\"data:image/png;base64,AAAA\"]}", f.blobs);
    txt_stays("{\"imageUrl\":\"data:image/png;base64,AAAA\"}", f.blobs);
    txt_stays("{\"image_url\":\"data:text/plain;base64,AAAA\"}", f.blobs);
    fix_close(&f);
}
