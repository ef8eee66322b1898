/* options.c - limits on what describes an artifact: type, purpose, tags, metadata */
#include <string.h>

#include "artifact/artifact.h"
#include "artifact/mime.h"
#include "base/bytes.h"
#include "base/err.h"
#include "base/json.h"
#include "base/utf8.h"

#define TAGS_MAX     32
#define TAG_MAX      64
#define TEXT_MAX     1000
#define METADATA_MAX (64 * 1024)

static quire_status check_text(const char *what, const char *text, size_t max,
                               quire_error *err)
{
    if (!text || (strlen(text) <= max && utf8_check(bytes_str(text))))
        return QUIRE_OK;
    return err_set(err, QUIRE_INVALID, "%s is not UTF-8 of at most %zu bytes",
                   what, max);
}

static quire_status check_tags(const char *const *tags, quire_error *err)
{
    quire_status st = QUIRE_OK;
    size_t n;

    for (n = 0; tags && tags[n] && !st; n++) {
        st = check_text("tag", tags[n], TAG_MAX, err);
        if (!st && !*tags[n])
            st = err_set(err, QUIRE_INVALID, "tag is empty");
        if (!st && n == TAGS_MAX)
            st = err_set(err, QUIRE_INVALID, "more than %d tags", TAGS_MAX);
    }
    return st;
}

quire_status artifact_check_options(const quire_artifact_options *o,
                                    quire_error *err)
{
    quire_status st = QUIRE_OK;

    if (o->mime && !mime_is_valid(bytes_str(o->mime))) {
        st = err_fail(err, QUIRE_INVALID,
                      "give one such as text/markdown, or leave it out to "
                      "derive it from name and content",
                      "media type is malformed");
    }
    if (!st)
        st = check_text("purpose", o->purpose, TEXT_MAX, err);
    if (!st)
        st = check_text("source", o->source, TEXT_MAX, err);
    if (!st)
        st = check_text("agent", o->agent, TEXT_MAX, err);
    if (!st)
        st = check_tags(o->tags, err);
    if (!st && o->meta &&
        (strlen(o->meta) > METADATA_MAX ||
         !json_check(bytes_str(o->meta), JSON_UTF8, NULL) ||
         json_kind(bytes_str(o->meta)) != JSON_OBJECT))
        st = err_set(err, QUIRE_INVALID,
                     "metadata is not a JSON object of at most %d bytes",
                     METADATA_MAX);
    return st;
}
