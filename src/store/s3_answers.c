/* s3_answers.c - see s3_answers.h */
#include "store/s3_answers.h"

#include <string.h>

#include "base/bytes.h"
#include "base/timestamp.h"
#include "store/s3_xml.h"

/* The text after `prefix` of a path, or NULL. */
static const char *below(const char *path, const char *prefix)
{
    size_t len = strlen(prefix);

    return strncmp(path, prefix, len) ? NULL : path + len;
}

/* ---- lists ---------------------------------------------------------------- */

struct page_reader {
    struct arena *keep;
    struct s3_page *page;
    struct s3_listed **end;
    struct s3_listed now; /* the one being read */
    bool truncated, has_size, has_time;
};

static bool read_size(const char *text, uint64_t *out)
{
    *out = 0;
    if (!*text)
        return false;
    for (; *text; text++) {
        if (*text < '0' || *text > '9' || *out > (uint64_t)INT64_MAX / 10 - 1)
            return false;
        *out = *out * 10 + (uint64_t)(*text - '0');
    }
    return true;
}

static bool end_listed(struct page_reader *r)
{
    struct s3_listed *copy = arena_alloc(r->keep, sizeof *copy);

    if (!copy || !r->now.key || !r->has_size || !r->has_time ||
        r->page->n == S3_PAGE_MAX)
        return false;
    *copy = r->now;
    *r->end = copy;
    r->end = &copy->next;
    r->page->n++;
    r->now = (struct s3_listed){.key = NULL};
    r->has_size = r->has_time = false;
    return true;
}

static bool read_listed(struct page_reader *r, const char *name,
                        const char *text)
{
    if (!strcmp(name, "Key")) {
        r->now.key = arena_text(r->keep, bytes_str(text));
        return r->now.key && *text && strlen(text) <= S3_KEY_MAX;
    }
    if (!strcmp(name, "Size"))
        return r->has_size = read_size(text, &r->now.size);
    if (!strcmp(name, "LastModified"))
        return r->has_time = timestamp_parse(bytes_str(text),
                                             &r->now.modified_ms);
    return true;
}

static bool page_end(void *ctx, const char *path, const char *text)
{
    struct page_reader *r = ctx;
    const char *name = below(path, "ListBucketResult"), *part;

    if (!name)
        return false;
    if (!strcmp(name, "/Contents"))
        return end_listed(r);
    part = below(name, "/Contents/");
    if (part)
        return read_listed(r, part, text);
    if (!strcmp(name, "/IsTruncated"))
        r->truncated = !strcmp(text, "true");
    if (!strcmp(name, "/NextContinuationToken")) {
        r->page->next = arena_text(r->keep, bytes_str(text));
        return r->page->next && *text;
    }
    return true;
}

bool s3_read_page(quire_bytes xml, struct arena *keep, struct s3_page *out)
{
    struct page_reader r = {.keep = keep, .page = out, .end = &out->first};

    *out = (struct s3_page){.first = NULL};
    if (!s3_xml_read(xml, page_end, &r))
        return false;
    if (!r.truncated)
        out->next = NULL;
    return !r.truncated || out->next;
}

/* ---- one text ------------------------------------------------------------- */

struct text_reader {
    const char *path;
    struct arena *keep;
    const char *text;
    bool found;
};

static bool text_end(void *ctx, const char *path, const char *text)
{
    struct text_reader *r = ctx;

    if (strcmp(path, r->path) != 0)
        return true;
    r->found = true;
    if (r->keep)
        r->text = arena_text(r->keep, bytes_str(text));
    return true;
}

const char *s3_read_upload_id(quire_bytes xml, struct arena *keep)
{
    struct text_reader r = {.path = "InitiateMultipartUploadResult/UploadId",
                            .keep = keep};

    return s3_xml_read(xml, text_end, &r) && r.text && *r.text ? r.text : NULL;
}

bool s3_read_completed(quire_bytes xml)
{
    struct text_reader r = {.path = "CompleteMultipartUploadResult"};

    return s3_xml_read(xml, text_end, &r) && r.found;
}

static bool is_code(char c)
{
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
           (c >= '0' && c <= '9') || c == '.';
}

static bool error_end(void *ctx, const char *path, const char *text)
{
    char *code = ctx;
    size_t i;

    if (strcmp(path, "Error/Code") != 0)
        return true;
    for (i = 0; text[i] && i + 1 < S3_CODE_SIZE; i++)
        code[i] = is_code(text[i]) ? text[i] : '?';
    code[i] = '\0';
    return false; /* that is all that is asked for */
}

void s3_read_error(quire_bytes xml, char code[S3_CODE_SIZE])
{
    code[0] = '\0';
    s3_xml_read(xml, error_end, code);
}
