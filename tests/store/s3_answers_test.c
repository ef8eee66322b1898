/* Documents that S3 stores answer with, and some that they should not. */
#include <string.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "store/s3_answers.h"
#include "store/s3_xml.h"
#include "support/test.h"

static bool reads_page(const char *xml, struct s3_page *page)
{
    static struct arena keep = ARENA_INIT; /* lent until the next call */

    arena_release(&keep);
    return s3_read_page(bytes_str(xml), &keep, page);
}

#define ENTRY(key, size, time)                                             \
    "<Contents><Key>" key "</Key><Size>" size "</Size><LastModified>" time \
    "</LastModified>"                                                      \
    "<ETag>&quot;x&quot;</ETag><Owner><ID>1</ID></Owner></Contents>"
#define LIST(inside) "<ListBucketResult>" inside "</ListBucketResult>"
#define TIME         "2026-03-01T12:00:00.123Z"

TEST(s3_list_has_keys_sizes_times_and_the_next_page)
{
    struct s3_page page;

    YES(reads_page(
        "<?xml version=\"1.0\"?>\n" LIST(
            "<KeyCount>2</KeyCount><IsTruncated>true</IsTruncated>"
            "<NextContinuationToken>a&amp;b</NextContinuationToken>" ENTRY(
                "a/b", "0", TIME)
                ENTRY("&lt;&#252;&#x20AC;", "5368709120", TIME)),
        &page));
    EQ(2, page.n);
    SAME_TEXT("a&b", page.next);
    SAME_TEXT("a/b", page.first->key);
    EQ(0, page.first->size);
    EQ(INT64_C(1772366400123), page.first->modified_ms);
    SAME_TEXT("<\xc3\xbc\xe2\x82\xac", page.first->next->key);
    EQ(INT64_C(5368709120), page.first->next->size);
    YES(reads_page("<ListBucketResult/>", &page));
    EQ(0, page.n);
    YES(page.next == NULL);
}

TEST(s3_list_that_is_not_one_is_refused)
{
    static const char *const bad[] = {
        "",
        "<html><body>It works</body></html>",
        "<ListBucketResult>",
        "<ListBucketResult></ListBucketResult><x/>",
        "<ListBucketResult></ListBucketresult>",
        LIST("<IsTruncated>true</IsTruncated>"), /* of what? */
        LIST("<Contents><Key>a</Key></Contents>"),
        LIST(ENTRY("", "1", TIME)),
        LIST(ENTRY("a", "-1", TIME)),
        LIST(ENTRY("a", "", TIME)),
        LIST(ENTRY("a", "99999999999999999999", TIME)),
        LIST(ENTRY("a", "1", "yesterday")),
        LIST(ENTRY("&nbsp;", "1", TIME)),
        LIST(ENTRY("&#0;", "1", TIME)),
        LIST(ENTRY("&#xD800;", "1", TIME)),
        LIST(ENTRY("&#x110000;", "1", TIME)),
        LIST(ENTRY("&#x1;", "1", TIME) "&amp"),
        "<!DOCTYPE x>" LIST(""),
        LIST("<![CDATA[x]]>"),
        LIST("<a><a><a><a><a><a><a><a></a></a></a></a></a></a></a></a>"),
        LIST("<a b='></a>"),
        "x" LIST(""),
    };
    struct s3_page page;
    size_t i;

    for (i = 0; i < sizeof bad / sizeof *bad; i++) {
        if (reads_page(bad[i], &page))
            SAME_TEXT("refused", bad[i]);
    }
}

TEST(s3_list_is_bounded)
{
    struct buf xml = BUF_INIT(1 << 20);
    struct s3_page page;
    int i;

    buf_add_str(&xml, "<ListBucketResult>");
    for (i = 0; i <= S3_PAGE_MAX; i++)
        buf_add_str(&xml, ENTRY("k", "1", TIME));
    buf_add_str(&xml, "</ListBucketResult>");
    NO(reads_page(buf_text(&xml), &page));
    buf_clear(&xml);
    buf_add_str(&xml, "<ListBucketResult><x>");
    for (i = 0; i <= S3_XML_TEXT_MAX; i++)
        buf_add_char(&xml, 'x');
    buf_add_str(&xml, "</x></ListBucketResult>");
    NO(reads_page(buf_text(&xml), &page));
    buf_release(&xml);
}

TEST(s3_error_is_its_code_and_nothing_else)
{
    char code[S3_CODE_SIZE];

    s3_read_error(bytes_str("<Error><Code>InvalidAccessKeyId</Code>"
                            "<AWSAccessKeyId>AKIA</AWSAccessKeyId></Error>"),
                  code);
    SAME_TEXT("InvalidAccessKeyId", code);
    s3_read_error(bytes_str("<Error><Code>a\x1b[2J b</Code></Error>"), code);
    SAME_TEXT("a??2J?b", code);
    s3_read_error(bytes_str("<html>502</html>"), code);
    SAME_TEXT("", code);
}

TEST(s3_upload_is_complete_only_if_the_answer_says_so)
{
    struct arena keep = ARENA_INIT;

    SAME_TEXT("2~a",
              s3_read_upload_id(
                  bytes_str("<InitiateMultipartUploadResult><UploadId>2~a"
                            "</UploadId></InitiateMultipartUploadResult>"),
                  &keep));
    YES(s3_read_upload_id(bytes_str("<x><UploadId>1</UploadId></x>"), &keep) ==
        NULL);
    YES(s3_read_completed(bytes_str("<CompleteMultipartUploadResult>"
                                    "</CompleteMultipartUploadResult>")));
    NO(s3_read_completed(
        bytes_str("<Error><Code>InternalError</Code></Error>")));
    arena_release(&keep);
}
