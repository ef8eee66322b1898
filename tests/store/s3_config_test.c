/* URLs of S3 stores, and where credentials come from. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/bytes.h"
#include "store/s3_config.h"
#include "support/test.h"

/* An environment: names and values in turn, ended by NULL. */
static const char *get(void *ctx, const char *name)
{
    const char **v;

    for (v = ctx; *v; v += 2) {
        if (!strcmp(v[0], name))
            return v[1];
    }
    return NULL;
}

static const char *keys[] = {"AWS_ACCESS_KEY_ID", "AKID",
                             "AWS_SECRET_ACCESS_KEY", "SECRET", NULL};

static quire_status read_with(const char *url, const char **variables,
                              struct s3_config *out)
{
    struct s3_env env = {get, variables};

    return s3_config_read(url, &env, out, &test_err);
}

TEST(s3_url_names_bucket_and_prefix)
{
    struct s3_config c;

    OK(read_with("s3://bucket/a/b", keys, &c));
    SAME_TEXT("bucket", c.bucket);
    SAME_TEXT("a/b", c.prefix);
    SAME_TEXT("s3://bucket/a/b", c.place);
    SAME_TEXT("us-east-1", c.region);
    SAME_TEXT("https://bucket.s3.us-east-1.amazonaws.com", c.base);
    SAME_TEXT("bucket.s3.us-east-1.amazonaws.com", c.host);
    NO(c.in_path);
    SAME_TEXT("AKID", c.credentials.id);
    SAME_TEXT("SECRET", c.credentials.secret);
    YES(c.credentials.token == NULL);
    s3_config_release(&c);
    OK(read_with("s3://b.c.d/x/", keys, &c)); /* dots: no certificate fits */
    SAME_TEXT("https://s3.us-east-1.amazonaws.com", c.base);
    SAME_TEXT("x", c.prefix);
    YES(c.in_path);
    s3_config_release(&c);
    OK(read_with("s3://bucket", keys, &c));
    SAME_TEXT("", c.prefix);
    SAME_TEXT("s3://bucket", c.place);
    s3_config_release(&c);
}

TEST(s3_url_has_options_before_the_environment)
{
    static const char *all[] = {"AWS_ACCESS_KEY_ID",
                                "AKID",
                                "AWS_SECRET_ACCESS_KEY",
                                "SECRET",
                                "AWS_SESSION_TOKEN",
                                "TOKEN",
                                "AWS_REGION",
                                "eu-west-3",
                                "AWS_ENDPOINT_URL",
                                "http://[::1]:9000/",
                                "AWS_CA_BUNDLE",
                                "/ca.pem",
                                NULL};
    struct s3_config c;

    OK(read_with("s3://bucket", all, &c));
    SAME_TEXT("http://[::1]:9000", c.base);
    SAME_TEXT("[::1]:9000", c.host);
    SAME_TEXT("eu-west-3", c.region);
    SAME_TEXT("TOKEN", c.credentials.token);
    SAME_TEXT("/ca.pem", c.ca);
    YES(c.in_path);
    s3_config_release(&c);
    OK(read_with("s3://bucket?region=x-1&endpoint=https://h&addressing=virtual",
                 all, &c));
    SAME_TEXT("https://bucket.h", c.base);
    SAME_TEXT("x-1", c.region);
    NO(c.in_path);
    s3_config_release(&c);
}

TEST(s3_url_that_is_wrong_is_refused_and_not_repeated)
{
    static const char *const bad[] = {
        "",
        "http://bucket/x",
        "s3:/bucket",
        "s3://",
        "s3://ab",
        "s3://a..b",
        "s3://.ab",
        "s3://bu cket",
        "s3://bucket//x",
        "s3://bucket/a//b",
        "s3://bucket/../b",
        "s3://bucket/a/./b",
        "s3://bucket/a b",
        "s3://bucket/a\x7f",
        "s3://bucket?",
        "s3://bucket?endpoint",
        "s3://bucket?endpoint=",
        "s3://bucket?endpoint=ftp://h",
        "s3://bucket?endpoint=http://",
        "s3://bucket?endpoint=http://h/path",
        "s3://bucket?endpoint=http://hush:hush@h",
        "s3://bucket?region=a/b",
        "s3://bucket?region=a&addressing=both",
        "s3://bucket?secret=hush",
        "s3://hush:hush@bucket/x",
    };
    struct s3_config c;
    char url[800] = "s3://bucket/";
    size_t i;

    for (i = 0; i < sizeof bad / sizeof *bad; i++) {
        if (read_with(bad[i], keys, &c) != QUIRE_INVALID)
            SAME_TEXT("refused", bad[i]);
        YES(*test_err.next);
        NO(strstr(test_err.what, "hush"));
    }
    memset(url + strlen(url), 'x', 600);
    IS(QUIRE_INVALID, read_with(url, keys, &c));
}

TEST(s3_credentials_are_whole_or_refused)
{
    static const char *half[] = {"AWS_ACCESS_KEY_ID", "AKID", NULL};
    static const char *odd[] = {"AWS_ACCESS_KEY_ID", "AK ID",
                                "AWS_SECRET_ACCESS_KEY", "hush\n", NULL};
    static const char *none[] = {"HOME", "/nonexistent", NULL};
    static const char *nothing[] = {"AWS_ACCESS_KEY_ID", "", NULL};
    struct s3_config c;

    IS(QUIRE_INVALID, read_with("s3://bucket", half, &c));
    HAS(test_err.what, "without AWS_SECRET_ACCESS_KEY");
    IS(QUIRE_INVALID, read_with("s3://bucket", odd, &c));
    HAS(test_err.what, "blanks");
    NO(strstr(test_err.what, "hush"));
    IS(QUIRE_INVALID, read_with("s3://bucket", none, &c));
    HAS(test_err.what, "/nonexistent/.aws/credentials does not exist");
    IS(QUIRE_INVALID, read_with("s3://bucket", nothing, &c));
    HAS(test_err.what, "no credentials");
}

static const char file[] = "# comment\n"
                           "[default]\r\n"
                           "aws_access_key_id = D1\r\n"
                           "aws_secret_access_key=D2\r\n"
                           "[ other ]\n"
                           "region = x\n"
                           "no equals sign\n"
                           "aws_access_key_id = O1\n"
                           "; aws_access_key_id = never\n"
                           "\taws_secret_access_key =\tO2=+/ \n"
                           "aws_session_token = O3\n"
                           "[half]\n"
                           "aws_access_key_id = H1";

TEST(s3_credentials_come_from_a_file_that_only_its_owner_reads)
{
    const char *path = test_path("credentials");
    const char *variables[] = {"AWS_SHARED_CREDENTIALS_FILE", path,
                               "AWS_PROFILE", NULL, NULL};
    struct s3_config c;

    test_write_file(path, bytes_str(file));
    EQ(0, chmod(path, 0644));
    IS(QUIRE_INVALID, read_with("s3://bucket", variables, &c));
    HAS(test_err.what, "can be read by others");
    EQ(0, chmod(path, 0600));
    variables[2] = NULL;
    OK(read_with("s3://bucket", variables, &c));
    SAME_TEXT("D1", c.credentials.id);
    SAME_TEXT("D2", c.credentials.secret);
    YES(c.credentials.token == NULL);
    s3_config_release(&c);
    variables[2] = "AWS_PROFILE";
    variables[3] = "other";
    OK(read_with("s3://bucket", variables, &c));
    SAME_TEXT("O1", c.credentials.id);
    SAME_TEXT("O2=+/", c.credentials.secret);
    SAME_TEXT("O3", c.credentials.token);
    s3_config_release(&c);
    variables[3] = "half";
    IS(QUIRE_INVALID, read_with("s3://bucket", variables, &c));
    HAS(test_err.what, "have no profile half");
    variables[1] = test_dir();
    IS(QUIRE_INVALID, read_with("s3://bucket", variables, &c));
    HAS(test_err.what, "not a regular file");
}

TEST(s3_credentials_of_a_file_that_is_too_large_are_refused)
{
    static char large[70000];
    const char *path = test_path("credentials");
    const char *variables[] = {"AWS_SHARED_CREDENTIALS_FILE", path, NULL};
    struct s3_config c;

    memset(large, '#', sizeof large);
    test_write_file(path, bytes_of(large, sizeof large));
    EQ(0, chmod(path, 0600));
    IS(QUIRE_TOO_LARGE, read_with("s3://bucket", variables, &c));
}
