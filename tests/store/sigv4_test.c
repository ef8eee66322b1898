/*
 * Signatures of requests to S3. The vectors are the published examples of the
 * algorithm, with their published keys.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "store/sigv4.h"
#include "support/test.h"

#define EMPTY "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

static const struct sigv4_key example =
    {"AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
     "us-east-1", "s3"};

static const char day[] = "20130524T000000Z";

/* Signed as the examples are; `got` has room for it. */
static const char *sign(const struct sigv4_key *key,
                        const struct sigv4_request *r)
{
    struct buf out = BUF_INIT(4096);
    char *text = test_alloc(4096);

    sigv4_authorization(key, r, &out);
    OK(buf_status(&out, "a signature", &test_err));
    memcpy(text, out.data, out.len);
    buf_release(&out);
    return text;
}

static const char *signature(const struct sigv4_key *key,
                             const struct sigv4_request *r)
{
    const char *found = strstr(sign(key, r), "Signature=");

    YES(found != NULL);
    return found + strlen("Signature=");
}

TEST(sigv4_signs_a_get_of_a_range)
{
    static const struct sigv4_pair headers[] = {
        {"host", "examplebucket.s3.amazonaws.com"},
        {"range", "bytes=0-9"},
        {"x-amz-content-sha256", EMPTY},
        {"x-amz-date", day},
    };
    struct sigv4_request r = {.method = "GET",
                              .path = "/test.txt",
                              .headers = headers,
                              .n_headers = 4,
                              .payload = EMPTY,
                              .time = day};
    struct buf text = BUF_INIT(4096);

    sigv4_string_to_sign(&example, &r, &text);
    SAME_TEXT(
        "AWS4-HMAC-SHA256\n20130524T000000Z\n"
        "20130524/us-east-1/s3/aws4_request\n"
        "7344ae5b7ee6c3e7e6b0fe0640412a37625d1fbfff95c48bbb2dc43964946972",
        buf_text(&text));
    buf_release(&text);
    SAME_TEXT(
        "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/"
        "us-east-1/s3/aws4_request, "
        "SignedHeaders=host;range;x-amz-content-sha256;x-amz-date, "
        "Signature="
        "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41",
        sign(&example, &r));
}

TEST(sigv4_signs_a_put_whose_key_needs_encoding)
{
    static const struct sigv4_pair headers[] = {
        {"date", "Fri, 24 May 2013 00:00:00 GMT"},
        {"host", "examplebucket.s3.amazonaws.com"},
        {"x-amz-content-sha256",
         "44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072"},
        {"x-amz-date", day},
        {"x-amz-storage-class", "REDUCED_REDUNDANCY"},
    };
    struct sigv4_request r = {.method = "PUT",
                              .path = "/test$file.text",
                              .headers = headers,
                              .n_headers = 5,
                              .time = day};
    char payload[SIGV4_SHA256_SIZE];

    sigv4_sha256(bytes_str("Welcome to Amazon S3."), payload);
    SAME_TEXT(headers[2].value, payload);
    r.payload = payload;
    SAME_TEXT(
        "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd",
        signature(&example, &r));
}

TEST(sigv4_signs_parameters_with_and_without_a_value)
{
    static const struct sigv4_pair headers[] = {
        {"host", "examplebucket.s3.amazonaws.com"},
        {"x-amz-content-sha256", EMPTY},
        {"x-amz-date", day},
    };
    static const struct sigv4_pair lifecycle[] = {{"lifecycle", ""}};
    static const struct sigv4_pair list[] = {{"prefix", "J"},
                                             {"max-keys", "2"}};
    struct sigv4_request r = {.method = "GET",
                              .path = "/",
                              .query = lifecycle,
                              .n_query = 1,
                              .headers = headers,
                              .n_headers = 3,
                              .payload = EMPTY,
                              .time = day};

    SAME_TEXT(
        "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543",
        signature(&example, &r));
    r.query = list;
    r.n_query = 2;
    SAME_TEXT(
        "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7",
        signature(&example, &r));
}

TEST(sigv4_signs_for_any_service)
{
    static const struct sigv4_pair headers[] = {
        {"host", "example.amazonaws.com"},
        {"x-amz-date", "20150830T123600Z"},
    };
    static const struct sigv4_key key =
        {"AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", "us-east-1",
         "service"};
    struct sigv4_request r = {.method = "GET",
                              .path = "/",
                              .headers = headers,
                              .n_headers = 2,
                              .payload = EMPTY,
                              .time = "20150830T123600Z"};

    SAME_TEXT(
        "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31",
        signature(&key, &r));
}

TEST(sigv4_orders_and_trims_what_it_signs)
{
    static const struct sigv4_pair headers[] = {
        {"x-amz-date", day},
        {"host", " \ta  b\t c "},
    };
    static const struct sigv4_pair query[] = {{"a-", "3"},
                                              {"a", "2"},
                                              {"~", "/ +&="},
                                              {"a", "1"}};
    struct sigv4_request r = {.method = "GET",
                              .path = "/b/\xc3\xbc b//../+",
                              .query = query,
                              .n_query = 4,
                              .headers = headers,
                              .n_headers = 2,
                              .payload = EMPTY,
                              .time = day};
    struct buf out = BUF_INIT(4096);

    sigv4_canonical_request(&r, &out);
    SAME_TEXT("GET\n/b/%C3%BC%20b//../%2B\n"
              "a=1&a=2&a-=3&~=%2F%20%2B%26%3D\n"
              "host:a b c\nx-amz-date:20130524T000000Z\n\n"
              "host;x-amz-date\n" EMPTY,
              buf_text(&out));
    buf_clear(&out);
    sigv4_target(&r, &out);
    SAME_TEXT("/b/%C3%BC%20b//../%2B?a=1&a=2&a-=3&~=%2F%20%2B%26%3D",
              buf_text(&out));
    buf_release(&out);
}

TEST(sigv4_time_is_utc)
{
    char out[SIGV4_TIME_SIZE];

    sigv4_time(1369353600, out);
    SAME_TEXT(day, out);
    sigv4_time(0, out);
    SAME_TEXT("19700101T000000Z", out);
    sigv4_time(INT64_MAX, out); /* no such year: still a time */
    EQ(16, strlen(out));
}

/* A text of 1 to 12 bytes, none of them NUL. */
static char *any_text(uint64_t seed)
{
    char *text = test_alloc(16);
    uint8_t len;
    size_t i;

    test_noise(seed, &len, 1);
    len = (uint8_t)(1 + len % 12);
    test_noise(seed + 1, text, len);
    for (i = 0; i < len; i++)
        text[i] = (char)(text[i] ? text[i] : 'x');
    text[len] = '\0';
    return text;
}

/* What is decoded again by the rules of URLs. */
static void decodes_to(const struct buf *encoded, const char *want)
{
    const char *at = encoded->data, *end = at + encoded->len;
    struct buf got = BUF_INIT(4096);

    while (at < end) {
        if (*at == '%') {
            uint8_t byte = 0;

            YES(end - at >= 3 && hex_decode(at + 1, 1, &byte));
            buf_add_char(&got, (char)byte);
            at += 3;
        } else {
            YES(strchr("/&=?#+ ", *at) == NULL);
            YES(*at > ' ' && *at < 127);
            buf_add_char(&got, *at++);
        }
    }
    SAME(bytes_str(want), buf_bytes(&got));
    buf_release(&got);
}

TEST(sigv4_encoding_can_be_undone_whatever_the_bytes)
{
    uint64_t seed;

    for (seed = 0; seed < 2000; seed++) {
        struct buf out = BUF_INIT(4096);
        char *text = any_text(seed);

        sigv4_encode(text, true, &out);
        decodes_to(&out, text);
        buf_release(&out);
    }
}

/* The same request in another order has the same signature; one that differs in
 * any byte of a name, a value, the path or the secret has another. */
TEST(sigv4_depends_on_every_byte_and_on_no_order)
{
    uint64_t seed;

    for (seed = 0; seed < 500; seed++) {
        char *a = any_text(seed * 10), *b = any_text(seed * 10 + 2);
        struct sigv4_pair there[] = {{"p", a}, {"q", b}, {"r", ""}};
        struct sigv4_pair back[] = {{"r", ""}, {"q", b}, {"p", a}};
        struct sigv4_pair host[] = {{"host", "h"}};
        struct sigv4_request r = {.method = "GET",
                                  .path = "/k",
                                  .query = there,
                                  .n_query = 3,
                                  .headers = host,
                                  .n_headers = 1,
                                  .payload = EMPTY,
                                  .time = day};
        struct sigv4_key other = example;
        const char *one = signature(&example, &r);
        size_t at = seed % strlen(a);

        r.query = back;
        SAME_TEXT(one, signature(&example, &r));
        r.path = "/K";
        YES(strcmp(one, signature(&example, &r)) != 0);
        r.path = "/k";
        r.method = "PUT";
        YES(strcmp(one, signature(&example, &r)) != 0);
        r.method = "GET";
        a[at] ^= 1;
        YES(strcmp(one, signature(&example, &r)) != 0);
        a[at] ^= 1;
        other.secret = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEy";
        YES(strcmp(one, signature(&other, &r)) != 0);
    }
}

TEST(sigv4_reports_what_does_not_fit)
{
    static char path[70000];
    struct sigv4_request r = {.method = "GET",
                              .path = path,
                              .payload = EMPTY,
                              .time = day};
    struct buf out = BUF_INIT(100000);

    memset(path, '/', sizeof path - 1);
    sigv4_authorization(&example, &r, &out);
    IS(QUIRE_NO_MEMORY, buf_status(&out, "a signature", &test_err));
    buf_release(&out);
}
