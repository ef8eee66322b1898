/* Secrets in text are found by their shape, and nothing else is changed. */
#include "export/redact.h"

#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "support/test.h"

static struct redactor r;

static const char *redacted(const char *text)
{
    struct buf b = BUF_INIT(1 << 20);
    char *out;

    memset(&r, 0, sizeof r);
    redact_home(&r, bytes_str("/home/maria/src/x"));
    redact_home(&r, bytes_str("/root/"));
    redact_text(&r, bytes_str(text), &b);
    out = test_alloc(b.len + 1);
    if (b.len)
        memcpy(out, b.data, b.len);
    out[b.len] = '\0';
    buf_release(&b);
    return out;
}

static void stays(const char *text)
{
    SAME_TEXT(text, redacted(text));
    EQ(0, r.secrets + r.paths);
}

TEST(keys_of_providers_are_secrets)
{
    static const char *const keys[] = {"sk-ant-api03-AAAAAAAAAAAAAAAAAAAA",
                                       "sk-proj-abcdef_ghijklmnop",
                                       "ghp_0123456789abcdefghij0123",
                                       "github_pat_11ABCDEFG0123456789",
                                       "glpat-abcdefghij0123456789",
                                       "xoxb-1234567890-abcdef",
                                       "AKIAIOSFODNN7EXAMPLE",
                                       "AIzaSyA0123456789abcdefghijklmnopqrstu",
                                       "npm_0123456789abcdefghijABCDEFGHIJ01",
                                       "hf_0123456789abcdefghijABCDEFGHIJ01"};
    size_t i;

    for (i = 0; i < sizeof keys / sizeof *keys; i++) {
        char text[200];

        snprintf(text, sizeof text, "a %s, b", keys[i]);
        SAME_TEXT("a [redacted], b", redacted(text));
        snprintf(text, sizeof text, "\"%s\"", keys[i]);
        SAME_TEXT("\"[redacted]\"", redacted(text));
        SAME_TEXT("[redacted]", redacted(keys[i]));
    }
}

TEST(what_only_resembles_a_key_stays)
{
    stays("");
    stays("risk-averse-management-of-things-and-more");
    stays("task-0123456789012345678901");
    stays("sk-short ghp_short AKIA AKIAlower7890123456");
    stays("eyJ.eyJ.x eyJhbGciOiJIUzI1NiJ9.short.x");
    stays("-----BEGIN CERTIFICATE-----\nMIIE\n-----END CERTIFICATE-----");
    stays("Bearer of bad news; basic knowledge");
    stays("password: ${PASS} password=$PASS token=<token> PASSWORD=[x]");
    stays("passwords are secret; the token: string; if (password == other)");
    stays("https://example.com/a:b@c and user@host:22 x://y");
}

TEST(tokens_passwords_and_private_keys_are_secrets)
{
    SAME_TEXT("Authorization: Bearer [redacted]",
              redacted("Authorization: Bearer abcdefghijklmnop.1234"));
    SAME_TEXT("authorization: Basic [redacted]",
              redacted("authorization: Basic dXNlcjpwYXNzd29yZA=="));
    SAME_TEXT("x [redacted] y",
              redacted(
                  "x eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl y"));
    SAME_TEXT("password=[redacted]&x=1", redacted("password=hunter22&x=1"));
    SAME_TEXT("DB_PASSWORD='[redacted]'", redacted("DB_PASSWORD='hunter22'"));
    SAME_TEXT("\"api_key\": \"[redacted]\"",
              redacted("\"api_key\": \"0123456789\""));
    SAME_TEXT("postgres://me:[redacted]@db/x",
              redacted("postgres://me:geheim99@db/x"));
    SAME_TEXT("a\n[redacted]\nb",
              redacted("a\n-----BEGIN OPENSSH PRIVATE KEY-----\nb3Bl\n"
                       "-----END OPENSSH PRIVATE KEY-----\nb"));
    SAME_TEXT("[redacted]", redacted("-----BEGIN PRIVATE KEY-----\nb3Bl cut"));
    EQ(1, r.secrets);
}

TEST(a_home_directory_is_a_tilde_and_longer_names_are_not)
{
    SAME_TEXT("~ ~/x \"~\" file://~/y", redacted("/home/maria /home/maria/x "
                                                 "\"/root\" file:///root/y"));
    EQ(4, r.paths);
    stays("/home/mariana /rooted /home/maria-2 /home");
}

/* A walk that were quadratic would not end. */
TEST(long_hostile_text_is_read_in_linear_time)
{
    static const char *const units[] = {"eyJ-",    "sk-",    "password ",
                                        "a://",    "ghp_",   "-----BEGIN ",
                                        "bearer ", "x://a:", "/home/maria"};
    size_t i, n, len = 4 << 20;
    char *text = test_alloc(len);

    for (i = 0; i < sizeof units / sizeof *units; i++) {
        struct buf b = BUF_INIT(len * 2);

        for (n = 0; n < len; n++)
            text[n] = units[i][n % strlen(units[i])];
        memset(&r, 0, sizeof r);
        redact_home(&r, bytes_str("/home/maria"));
        redact_text(&r, bytes_of(text, len), &b);
        NO(b.failed);
        buf_release(&b);
    }
}
