/*
 * s3_answers_fuzz.c - what an S3 store answers
 *
 * Any bytes: what is read of a list is within its bounds. The same bytes as a
 * key: written as XML in two spellings, they are read as they were.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "holds.h"
#include "store/s3_answers.h"
#include "store/s3_xml.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool element_is_bounded(void *ctx, const char *path, const char *text)
{
    HOLDS(strlen(path) <= S3_XML_PATH_MAX && *path);
    HOLDS(strlen(text) <= S3_XML_TEXT_MAX);
    ++*(size_t *)ctx;
    return true;
}

static void any_document(quire_bytes xml)
{
    struct arena keep = ARENA_INIT;
    struct s3_page page;
    struct s3_listed *l;
    char code[S3_CODE_SIZE];
    size_t n = 0;

    if (s3_xml_read(xml, element_is_bounded, &n))
        HOLDS(n > 0);
    HOLDS(n <= xml.len / 4 + 1); /* "<a/>" */
    if (s3_read_page(xml, &keep, &page)) {
        for (l = page.first, n = 0; l; l = l->next, n++) {
            HOLDS(l->size <= INT64_MAX);
            HOLDS(*l->key && strlen(l->key) <= S3_KEY_MAX);
        }
        HOLDS(n == page.n && n <= S3_PAGE_MAX);
        HOLDS(!page.next || *page.next);
    }
    s3_read_upload_id(xml, &keep);
    s3_read_completed(xml);
    s3_read_error(xml, code);
    HOLDS(strlen(code) < S3_CODE_SIZE && !strpbrk(code, " <>&\n"));
    arena_release(&keep);
}

static void add_escaped(struct buf *b, quire_bytes key, bool numbers)
{
    const unsigned char *p = key.data;
    size_t i;

    for (i = 0; i < key.len; i++) {
        if (numbers && p[i] < 0x80)
            buf_addf(b, i % 2 ? "&#%u;" : "&#x%X;", p[i]);
        else if (p[i] == '<')
            buf_add_str(b, "&lt;");
        else if (p[i] == '&')
            buf_add_str(b, "&amp;");
        else
            buf_add_char(b, (char)p[i]);
    }
}

static void key_comes_back(quire_bytes key, bool numbers)
{
    struct buf xml = BUF_INIT(1 << 20);
    struct arena keep = ARENA_INIT;
    struct s3_page page;

    buf_add_str(&xml, "<?xml version='1.0'?>\n<ListBucketResult xmlns=\"u>\">"
                      "<IsTruncated>false</IsTruncated><Contents><Key>");
    add_escaped(&xml, key, numbers);
    buf_add_str(&xml, "</Key><Size>7</Size><LastModified>2026-01-02T03:04:05"
                      ".000Z</LastModified></Contents></ListBucketResult>\n");
    HOLDS(s3_read_page(buf_bytes(&xml), &keep, &page));
    HOLDS(page.n == 1 && page.first->size == 7 && !page.next);
    HOLDS(bytes_equal(key, bytes_str(page.first->key)));
    arena_release(&keep);
    buf_release(&xml);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    any_document(bytes_of(data, size));
    if (size > 0 && size <= S3_KEY_MAX && !memchr(data, 0, size)) {
        key_comes_back(bytes_of(data, size), false);
        key_comes_back(bytes_of(data, size), true);
    }
    return 0;
}
