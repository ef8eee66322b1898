#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/base64.h"
#include "base/bytes.h"
#include "base/json.h"
#include "session/persist.h"
#include "support/persist.h"

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
    SAME_TEXT(two, txt_hydrated(two, f.blobs));
    EQ(2, persist_missing);
    SAME_TEXT("", test_err.what);
    SAME_TEXT(two, txt_hydrated(two, NULL));
    EQ(2, persist_missing);
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
    entry = txt_join("{\"images\":[{\"type\":\"image\",\"data\":\"", ref,
                     "\"}]}");
    HAS(txt_hydrated(entry, f.blobs), "d2hhdCBhbiBpbWFnZSBpcyBtYWRlIG9m");
    test_write_file(fix_file(&f, &d), bytes_str("what an image is made on"));
    out = txt_hydrated(entry, f.blobs);
    SAME_TEXT(entry, out);
    EQ(1, persist_missing);
    fix_close(&f);
}

/* `n` letters, and a text behind them. */
static const char *long_text(size_t n, const char *end)
{
    char *text = test_alloc(n + strlen(end) + 1);

    memset(text, 'x', n);
    strcpy(text + n, end);
    return text;
}

TEST(strings_that_were_cut_are_whole_again)
{
    const char *a = long_text(500001, "\\n\\\"1"), *b = long_text(500001, "2");
    const char *entry, *stored;
    struct fix f;

    fix_open(&f, QUIRE_LAYOUT_FLAT, true);
    entry = txt_join("{\"type\":\"t\",\"a\":\"", a,
                     txt_join("\",\"b\":[\"", b, "\"]}"));
    stored = txt_persisted(entry, f.blobs);
    HAS(stored, "{\"quireWhole\":[\"blob:sha256:");
    HAS(stored, "[Session persistence truncated");
    YES(strlen(stored) < 1000400);
    SAME_TEXT(stored, txt_persisted(stored, f.blobs)); /* stays as it is */
    SAME_TEXT(entry, txt_hydrated(stored, f.blobs));
    EQ(0, persist_missing);
    SAME_TEXT(stored, txt_hydrated(stored, NULL));
    EQ(2, persist_missing);
    fix_close(&f);
}

TEST(a_cut_string_is_replaced_by_nothing_but_its_own_text)
{
    static const char end[] =
        "\\n\\n[Session persistence truncated large content]";
    const char *entry, *tail;
    char ref[QUIRE_REF_SIZE];
    quire_digest d;
    struct fix f;

    fix_open(&f, QUIRE_LAYOUT_FLAT, true);
    d = fix_put(&f, bytes_str("another text"));
    quire_ref_format(&d, ref);
    tail = txt_join("\"],\"a\":\"", long_text(499953, end), "\"}");
    entry = txt_join("{\"quireWhole\":[\"", ref, tail);
    SAME_TEXT(entry, txt_hydrated(entry, f.blobs));
    entry = txt_join("{\"quireWhole\":[\"", "blob:sha256:xyz", tail);
    SAME_TEXT(entry, txt_hydrated(entry, f.blobs));
    entry = txt_join("{\"quireWhole\":\"", ref,
                     txt_join("\",\"a\":\"", long_text(499953, end), "\"}"));
    SAME_TEXT(entry, txt_hydrated(entry, f.blobs));
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
    entry = txt_join("{\"image_url\":\"", ref, "\"}");
    SAME_TEXT(entry, txt_hydrated(entry, f.blobs));
    EQ(1, persist_missing);
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
        SAME_TEXT(txt_join(forms[i][0], "d2hhdCBhbiBpbWFnZSBpcyBtYWRlIG9m",
                           forms[i][1]),
                  txt_hydrated(txt_join(forms[i][0], ref, forms[i][1]),
                               f.blobs));
        HAS(txt_hydrated(txt_join(forms[i][0],
                                  txt_join("\\u0062lob\\u003a", ref + 5, ""),
                                  forms[i][1]),
                         f.blobs),
            "d2hhdCBhbiBpbWFnZSBpcyBtYWRlIG9m");
    }
    for (i = 0; i < sizeof others / sizeof *others; i++) {
        const char *same = txt_join(others[i][0], ref, others[i][1]);

        SAME_TEXT(same, txt_hydrated(same, f.blobs));
        EQ(0, persist_missing);
    }
    txt_hydrated("{\"image_url\":\"blob:sha256:" HEX "\"}", f.blobs);
    EQ(1, persist_missing);
    txt_hydrated(
        "{\"image_url\":\"blob:sha256:00112233445566778899AABBCCDDEEFF00112"
        "233445566778899aabbccddeeff\"}",
        f.blobs);
    EQ(0, persist_missing);
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
        struct buf out = txt_fresh();
        int n = 0;

        IS(QUIRE_INVALID,
           persist_entry(bytes_str(wrong[i]), blob_view_all(NULL), false, &tmp,
                         &out, &test_err));
        HAS(test_err.what, "not JSON");
        IS(QUIRE_INVALID,
           persist_hydrate(bytes_str(wrong[i]), blob_view_all(NULL), &tmp, &out,
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
    const char *deep = txt_run("{\"a\":", 500), *end = txt_run("}", 500);

    txt_stays(txt_join(deep, "1", end), NULL);
    txt_becomes(txt_join(deep, "{}", end),
                txt_join(deep, "{\"partialJson\":1}", end));
    txt_stays(txt_join(txt_run("[", 512), "", txt_run("]", 512)), NULL);
    {
        const char *past = txt_join(txt_run("[", 513), "", txt_run("]", 513));
        struct arena tmp = ARENA_INIT;
        struct buf out = txt_fresh();

        IS(QUIRE_INVALID, persist_entry(bytes_str(past), blob_view_all(NULL),
                                        false, &tmp, &out, &test_err));
        arena_release(&tmp);
    }
}

/* What an entry costs in memory: its changes, not its values. */
TEST(an_entry_of_many_values_takes_no_memory_for_them)
{
    const char *many = txt_join("[0", txt_run(",{\"a\":[1,\"x\"]}", 200000),
                                "]");
    struct arena tmp = ARENA_INIT;
    struct buf out = txt_fresh();

    OK(persist_entry(bytes_str(many), blob_view_all(NULL), false, &tmp, &out,
                     &test_err));
    SAME(bytes_str(many), buf_bytes(&out));
    YES(tmp.used < 8192);
    arena_release(&tmp);
    buf_release(&out);
}

TEST(persisting_survives_each_allocation_failing)
{
    const char *data = txt_noise64(8, 2000);
    struct buf entry = txt_fresh();
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
             txt_run("y", PERSIST_MAX_UNITS + 1));
    buf_addf(&entry, ",\"deep\":%s{\"partialJson\":0}%s}", txt_run("[", 40),
             txt_run("]", 40));
    text = txt_kept(&entry);
    for (n = 1;; n++) {
        struct arena tmp = ARENA_INIT;
        struct buf out = txt_fresh(), back = txt_fresh();
        quire_status st;
        struct fix f;
        bool struck;
        int n_refs = 0;

        fix_open(&f, QUIRE_LAYOUT_FLAT, false);
        fault_arm(n, ENOMEM, n % 2);
        st = persist_entry(bytes_str(text), blob_view_all(f.blobs), false, &tmp,
                           &out, &test_err);
        if (!st)
            st = persist_hydrate(buf_bytes(&out), blob_view_all(f.blobs), &tmp,
                                 &back, NULL, NULL, &test_err);
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
