/* Masks name the kind; JSON stays JSON; a stream is masked as one text. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/json.h"
#include "secrets/secrets.h"
#include "support/test.h"

#define KEY  "ghp_a8F3kQ9zL2mN7pR5tV1xY4bC6dE0gH2jK9mQ"
#define MASK "[redacted: github-token]"

static char found[4096];

static void note(void *ctx, const char *place, const struct secret *s)
{
    size_t n = strlen(found);

    (void)ctx;
    snprintf(found + n, sizeof found - n, "%s%s@%s:%zu+%zu", n ? " " : "",
             s->kind, place, s->at, s->len);
}

static const char *text_of(struct buf *b)
{
    char *out = test_alloc(b->len + 1);

    if (b->len)
        memcpy(out, b->data, b->len);
    out[b->len] = '\0';
    buf_release(b);
    return out;
}

static const char *masked_json(const char *json, bool mask)
{
    struct arena keep = ARENA_INIT;
    struct buf b = BUF_INIT(1 << 20);
    quire_bytes out;
    quire_error err;
    size_t n;

    found[0] = '\0';
    OK(secrets_mask_json(bytes_str(json), mask, &keep, &out, &n, note, NULL,
                         &err));
    YES(json_check(out, JSON_UTF8, NULL) ==
        json_check(bytes_str(json), JSON_UTF8, NULL));
    buf_add(&b, out.data, out.len);
    arena_release(&keep);
    return text_of(&b);
}

TEST(a_text_is_masked_with_the_kind)
{
    struct buf b = BUF_INIT(4096);

    found[0] = '\0';
    EQ(2, secrets_mask_text(bytes_str("a " KEY " b password=hunter22x c"), &b,
                            note, NULL));
    SAME_TEXT("a " MASK " b password=[redacted: password] c", text_of(&b));
    SAME_TEXT("github-token@:2+40 password@:54+9", found);
    EQ(0, secrets_mask_text(bytes_str("nothing"), NULL, NULL, NULL));
}

TEST(strings_of_json_are_masked_where_they_stand)
{
    SAME_TEXT("{\"a\":[1,{\"t/x\":\"see " MASK "\\n\"}],\"b\":\"\\u00e9\"}",
              masked_json("{\"a\":[1,{\"t/x\":\"see " KEY
                          "\\n\"}],\"b\":\"\\u00e9\"}",
                          true));
    SAME_TEXT("github-token@/a/1/t~1x:4+40", found);
    /* An escape does not hide one, and the rest is as it was. */
    SAME_TEXT(
        "{\"b\":\"\\u00e9\",\"a\":\"" MASK "\"}",
        masked_json("{\"b\":\"\\u00e9\",\"a\":\"\\u0067hp_a8F3kQ9zL2mN7pR5"
                    "tV1xY4bC6dE0gH2jK9mQ\"}",
                    true));
    SAME_TEXT("{\"password\":\"[redacted: password]\"}",
              masked_json("{\"password\":\"hunter22x\"}", true));
    SAME_TEXT("{\"password\":\"hunter22x\"}",
              masked_json("{\"password\":\"hunter22x\"}", false));
    SAME_TEXT("password@/password:0+9", found);
}

TEST(ids_signatures_and_damage_are_left_alone)
{
    SAME_TEXT("{\"id\":\"" KEY "\",\"thinkingSignature\":\"" KEY "\"}",
              masked_json("{\"id\":\"" KEY "\",\"thinkingSignature\":\"" KEY
                          "\"}",
                          true));
    SAME_TEXT("", found);
    SAME_TEXT("{\"a\":", masked_json("{\"a\":", true));
    SAME_TEXT("", masked_json("", true));
}

/* Whatever the sizes of its pieces. */
static const char *streamed(const char *text, size_t piece)
{
    struct secrets_stream s = SECRETS_STREAM_INIT;
    struct buf b = BUF_INIT(1 << 22);
    size_t at, n, len = strlen(text);

    found[0] = '\0';
    s.each = note;
    for (at = 0; at < len; at += n) {
        n = len - at < piece ? len - at : piece;
        secrets_stream_add(&s, bytes_of(text + at, n), false, &b);
    }
    secrets_stream_add(&s, bytes_of("", 0), true, &b);
    NO(b.failed);
    secrets_stream_release(&s);
    return text_of(&b);
}

TEST(a_stream_is_masked_wherever_it_is_cut)
{
    static const char text[] =
        "one\n" KEY "\ntwo\n-----BEGIN RSA PRIVATE KEY-----\n"
        "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj\n"
        "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj\n"
        "-----END RSA PRIVATE KEY-----\npassword=hunter22x";
    static const char want[] = "one\n" MASK "\ntwo\n[redacted: private-key]\n"
                               "password=[redacted: password]";
    size_t piece;

    for (piece = 1; piece < sizeof text; piece++) {
        SAME_TEXT(want, streamed(text, piece));
        SAME_TEXT("github-token@:4+40 private-key@:49+191 password@:250+9",
                  found);
    }
}

TEST(a_stream_holds_back_less_than_its_limit)
{
    static const char *const units[] = {"x", "a b ", "-----BEGIN ",
                                        "-----BEGIN PRIVATE KEY-----\n",
                                        "password=hunter22x,"};
    struct buf b = BUF_INIT(1 << 26);
    size_t i, n;

    for (i = 0; i < sizeof units / sizeof *units; i++) {
        struct secrets_stream s = SECRETS_STREAM_INIT;

        buf_clear(&b);
        for (n = 0; n < 200000; n++) {
            secrets_stream_add(&s, bytes_str(units[i]), false, &b);
            if (s.held.len >= SECRETS_HELD_MAX)
                SAME_TEXT("less is held", units[i]);
        }
        secrets_stream_add(&s, bytes_of("", 0), true, &b);
        NO(b.failed);
        EQ(0, s.held.len);
        if (i == 4)
            EQ(200000, s.n);
        secrets_stream_release(&s);
    }
    buf_release(&b);
}

/* Each allocation may fail: an error, and nothing is left. */
TEST(without_memory_nothing_is_half_masked)
{
    struct arena keep = ARENA_INIT;
    quire_bytes json = bytes_str("{\"a\":\"x " KEY "\",\"b\":[\"" KEY "\"]}");
    quire_bytes out;
    quire_error err;
    quire_status st = QUIRE_NO_MEMORY;
    size_t n, i;

    for (i = 1; st && i < 100; i++) {
        fault_arm((long)i, ENOMEM, false);
        st = secrets_mask_json(json, true, &keep, &out, &n, NULL, NULL, &err);
        fault_disarm();
        if (!st)
            YES(!memmem(out.data, out.len, "ghp_", 4));
        else
            EQ(QUIRE_NO_MEMORY, st);
        arena_release(&keep);
    }
    YES(i > 2 && !st);
    arena_release(&keep);
}
