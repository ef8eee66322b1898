/* Secrets are found by their form, and what only resembles one is not. */
#include "secrets/secrets.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "secrets/chars.h"
#include "secrets/formats.h"
#include "support/test.h"

/* The text with what was found in it as "<kind:secret>". */
static const char *marked(const char *text)
{
    struct buf b = BUF_INIT(1 << 20);
    struct secret s;
    size_t done = 0;
    char *out;

    while (secrets_next(bytes_str(text), done, SECRETS_SURE, &s)) {
        buf_add(&b, text + done, s.at - done);
        buf_addf(&b, "<%s:%.*s>", s.kind, (int)s.len, text + s.at);
        done = s.at + s.len;
    }
    buf_add_str(&b, text + done);
    out = test_alloc(b.len + 1);
    memcpy(out, buf_text(&b), b.len + 1);
    buf_release(&b);
    return out;
}

static void stays(const char *text)
{
    SAME_TEXT(text, marked(text));
}

/* So many characters of the set, drawn by a fixed generator. */
static void draw(bool (*is)(char), size_t n, char *out)
{
    static uint32_t state = 7;
    size_t i = 0;

    while (i < n) {
        char c;

        state = state * 1664525 + 1013904223;
        c = (char)(state >> 24 & 127);
        if (is(c) && is_alnum(c))
            out[i++] = c;
    }
    out[n] = '\0';
}

TEST(every_format_is_found_in_text_in_quotes_and_alone)
{
    const struct secret_format *f;
    char value[200], key[300], text[400], want[400];
    size_t i;

    for (i = 0; (f = secret_format_at(i)); i++) {
        if (!f->sure)
            continue;
        draw(f->is, f->sure, value);
        snprintf(key, sizeof key, "%s%s", f->prefix, value);
        snprintf(want, sizeof want, "<%s:%s>", f->kind, key);
        SAME_TEXT(want, marked(key));
        snprintf(text, sizeof text, "at %s, then", key);
        snprintf(want, sizeof want, "at <%s:%s>, then", f->kind, key);
        SAME_TEXT(want, marked(text));
        snprintf(text, sizeof text, "{\"x\":\"%s\"}", key);
        snprintf(want, sizeof want, "{\"x\":\"<%s:%s>\"}", f->kind, key);
        SAME_TEXT(want, marked(text));
        /* Behind a colour, and behind a line break that is spelled. */
        snprintf(text, sizeof text, "\033[1;32m%s\033[0m", key);
        snprintf(want, sizeof want, "\033[1;32m<%s:%s>\033[0m", f->kind, key);
        SAME_TEXT(want, marked(text));
        snprintf(text, sizeof text, "one\\n%s\\ntwo", key);
        snprintf(want, sizeof want, "one\\n<%s:%s>\\ntwo", f->kind, key);
        SAME_TEXT(want, marked(text));
        /* A word that goes on to the left is another word. */
        snprintf(text, sizeof text, "x%s", key);
        if (strncmp(f->prefix, "hooks", 5) != 0)
            stays(text);
    }
    YES(i > 50);
}

TEST(a_key_that_is_too_short_or_not_random_is_none)
{
    const struct secret_format *f;
    char value[200], text[300];
    size_t i;

    for (i = 0; (f = secret_format_at(i)); i++) {
        draw(f->is, f->sure ? f->sure - 1 : 10, value);
        snprintf(text, sizeof text, "%s%s end", f->prefix, value);
        stays(text);
        memset(value, 'a', sizeof value);
        value[f->sure] = '\0';
        snprintf(text, sizeof text, "%s%s", f->prefix, value);
        if (f->rules & FORMAT_RANDOM)
            stays(text);
    }
}

TEST(private_keys_tokens_and_passwords_are_found)
{
    SAME_TEXT("a\n<private-key:-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1"
              "rZXktdjEAAAAABG5vbmUAAAAEbm9uZQ\nAAAA\n-----END OPENSSH PRIVATE "
              "KEY----->\nb",
              marked("a\n-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXkt"
                     "djEAAAAABG5vbmUAAAAEbm9uZQ\nAAAA\n-----END OPENSSH "
                     "PRIVATE KEY-----\nb"));
    SAME_TEXT("<private-key:-----BEGIN PRIVATE KEY-----\\nMIIEvQIBADANBgkqhkiG9"
              "w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj\\n>... cut",
              marked("-----BEGIN PRIVATE KEY-----\\nMIIEvQIBADANBgkqhkiG9w0BAQE"
                     "FAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj\\n... cut"));
    SAME_TEXT("x <jwt:eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl> y",
              marked("x eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl y"));
    SAME_TEXT("Authorization: Bearer <bearer-token:mF_9.B5f-4.1JqM8zQx7>",
              marked("Authorization: Bearer mF_9.B5f-4.1JqM8zQx7"));
    SAME_TEXT("-H 'Basic <basic-auth:bWFyaWE6czNjcjN0LXdvcmQ=>'",
              marked("-H 'Basic bWFyaWE6czNjcjN0LXdvcmQ='"));
    SAME_TEXT("postgres://shop:<url-password:q7Zr2-kfw9>@db.internal/shop",
              marked("postgres://shop:q7Zr2-kfw9@db.internal/shop"));
    SAME_TEXT("DB_PASSWORD='<password:Tr0ub4dor!3x>'",
              marked("DB_PASSWORD='Tr0ub4dor!3x'"));
}

TEST(values_that_are_assigned_to_a_name_are_found)
{
    SAME_TEXT("password=<password:hunter22x>&x=1",
              marked("password=hunter22x&x=1"));
    SAME_TEXT("\"api_key\": \"<secret:9fK2mQ7pLx>\"",
              marked("\"api_key\": \"9fK2mQ7pLx\""));
    SAME_TEXT("{\\\"clientSecret\\\":\\\"<secret:8sKd92mdPq>\\\"}",
              marked("{\\\"clientSecret\\\":\\\"8sKd92mdPq\\\"}"));
    SAME_TEXT("aws_secret_access_key = "
              "<secret:wJa1rXUtnF3MIK7MDENGbPxRfiCYzzz9kEY5>",
              marked("aws_secret_access_key = "
                     "wJa1rXUtnF3MIK7MDENGbPxRfiCYzzz9kEY5"));
    SAME_TEXT("GITHUB_TOKEN=<github-token:ghp_a8F3kQ9zL2mN7pR5tV1xY4bC6dE0gH2jK"
              "9mQ>",
              marked("GITHUB_TOKEN=ghp_a8F3kQ9zL2mN7pR5tV1xY4bC6dE0gH2jK9mQ"));
}

TEST(every_name_is_known_however_it_is_spelled)
{
    static const char *const names[] =
        {"password",      "passwd",         "passphrase",
         "pwd",           "secret",         "api_key",
         "apikey",        "api-key",        "access_key",
         "accessKey",     "secret_key",     "secretKey",
         "client_secret", "clientSecret",   "private_key",
         "privateKey",    "access_token",   "accessToken",
         "refresh_token", "refreshToken",   "auth_token",
         "authToken",     "authorization",  "x-api-key",
         "token",         "session_token",  "secret_access_key",
         "AccountKey",    "SharedAccessKey"};
    char text[200], upper[64];
    struct secret s;
    size_t i, n;

    for (i = 0; i < sizeof names / sizeof *names; i++) {
        for (n = 0; names[i][n]; n++)
            upper[n] = names[i][n] >= 'a' && names[i][n] <= 'z'
                           ? (char)(names[i][n] - 32)
                           : names[i][n];
        upper[n] = '\0';
        snprintf(text, sizeof text, "x_%s=9fK2mQ7pLx", names[i]);
        YES(secrets_next(bytes_str(text), 0, SECRETS_SURE, &s));
        snprintf(text, sizeof text, "%s: '9fK2mQ7pLx'", upper);
        YES(secrets_next(bytes_str(text), 0, SECRETS_SURE, &s));
        EQ(10, s.len);
    }
}

TEST(identifiers_hashes_and_words_about_secrets_are_none)
{
    stays("");
    stays("550e8400-e29b-41d4-a716-446655440000");
    stays("commit 2fd4e1c67a2d28fced849ee1bb76e7391b93eb12");
    stays("sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b"
          "855");
    stays(
        "\"integrity\": \"sha512-v2kDEe57lecTulaDIuNTPy3Ry4gLGJ6Z1O3vE1krgXZNr"
        "sQ+LFTGHVxVjcXPs17LhbZVGedAJv8XZ1tvj5FvSg==\"");
    stays(
        "checksum = \"9e2e2b1e8c8a9f9d3b7c6a5f4e3d2c1b0a9f8e7d6c5b4a39281706f5e"
        "4d3c2b1\"");
    stays(
        "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAA"
        "ADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==");
    stays("risk-averse-management-of-things-and-more sk-container-id-1 "
          "sk-toggleable__content-arrow sk-estimator-doc-link-1234567890");
    stays("password: ${PASS} password=$PASS token=<token> PASSWORD=[x] "
          "password: string password=None password = get_password(user) "
          "secret = self.secret_2 token=token2 TOKEN=MY_TOKEN_V2");
    stays("password = \"your-password-1\" api_key=\"test1234567\" "
          "secret: \"changeme1\" passwd=xxxxxxxx1");
    stays("PWD=/root/src/quire2 pwd: ~/x1/y2 password=12345678 "
          "max_token=123456789 tokens: 8192 \"passwd:   files\\ngroup:  x\"");
    stays("Bearer of bad news; basic knowledge; Bearer authenticationToken");
    stays("-----BEGIN CERTIFICATE-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKc\n"
          "-----END CERTIFICATE-----");
    stays("a key begins with -----BEGIN PRIVATE KEY-----, and ends.");
    stays("https://user:password@host/ http://root:root@db "
          "https://example.com/a:b@c user@host:22 https://u:${PW}@h");
    stays("eyJ.eyJ.x eyJhbGciOiJIUzI1NiJ9.short.x "
          "eyJhbGciOiJIUzI1NiJ9.c3ludGF4aXM.c2lnbmF0dXJl");
    stays("AKIA AKIAlower7890123456 AKIAIOSFODNN7EXAMPLELONGER");
}

TEST(a_members_name_says_what_its_value_is)
{
    struct secret s;

#define MEMBER(name, value) \
    secrets_of_member(bytes_str(name), bytes_str(value), &s)
    YES(MEMBER("password", "hunter22x"));
    SAME_TEXT("password", s.kind);
    EQ(9, s.len);
    YES(MEMBER("db_password", "hunter22x"));
    YES(MEMBER("apiKey", "9fK2mQ7pLx"));
    SAME_TEXT("secret", s.kind);
    NO(MEMBER("passwords", "hunter22x"));
    NO(MEMBER("password", "the one 4 you"));
    NO(MEMBER("password", ""));
    NO(MEMBER("text", "hunter22x"));
    NO(MEMBER("token", "token_12"));
#undef MEMBER
}

/* A walk that were quadratic would not end. */
TEST(hostile_text_is_read_in_linear_time)
{
    static const char *const units[] = {
        "eyJ-",        "sk-",
        "sk-a1B2c3D4", "password ",
        "password=",   "password=a1b2c3d4$",
        "a://",        "ghp_",
        "-----BEGIN ", "-----BEGIN PRIVATE KEY-----",
        "bearer ",     "x://a:",
        "basic a",     "hooks.slack.com/services/",
        "eyJaaaaaaa.", "\\n",
        "AKIA",
    };
    size_t i, n, len = 1 << 20;
    char *text = test_alloc(len);
    struct secret s;

    for (i = 0; i < sizeof units / sizeof *units; i++) {
        size_t done = 0;

        for (n = 0; n < len; n++)
            text[n] = units[i][n % strlen(units[i])];
        while (secrets_next(bytes_of(text, len), done, SECRETS_SURE, &s)) {
            YES(s.at >= done && s.len > 0 && s.at + s.len <= len);
            done = s.at + s.len;
        }
    }
}

/* docs/secrets.md has a row for each format: "| `prefix…` | kind |". */
TEST(the_document_lists_every_format)
{
    FILE *f = fopen("docs/secrets.md", "r");
    char doc[32768], row[128];
    const struct secret_format *one;
    size_t i, n;

    YES(f != NULL);
    n = fread(doc, 1, sizeof doc - 1, f);
    fclose(f);
    doc[n] = '\0';
    for (i = 0; (one = secret_format_at(i)); i++) {
        snprintf(row, sizeof row, "`%s`", one->prefix);
        HAS(doc, row);
        snprintf(row, sizeof row, "`%s`", one->kind);
        HAS(doc, row);
    }
}
