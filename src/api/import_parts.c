/*
 * import_parts.c - the bytes of an original, cut into parts: see import_write.c
 *
 * A long string of JSON (an image, a tool's result) is a part of its own, and its
 * blob is what the string says: the bytes that base64 stands for, the text without
 * escapes. So the session file, which refers to the same blob, a copy of the file, and
 * a record that is repeated cost a reference. Between such strings the file is cut
 * into pieces of 1 MiB.
 *
 *   (1) The parts, spelled as import_part_form has it, are the bytes of the file.
 *       A string whose spelling cannot be made again is kept as it stands.
 *   (2) Where a string ends depends on its line alone: a line break ends it in any
 *       case, so that a damaged line does not hide the strings behind it.
 */
#include <stdlib.h>
#include <string.h>

#include "api/import_priv.h"
#include "base/base64.h"
#include "base/bytes.h"
#include "base/err.h"
#include "base/json.h"

enum {
    STRING_MIN = 4 << 10,
    DATA_URL_MAX = 128, /* bytes before the base64 of one */
};
#define STRING_MAX ((size_t)4 << 20)

/* ---- spelling --------------------------------------------------------------- */

quire_status import_spell(enum import_part_form form, quire_bytes content,
                          struct buf *out, quire_error *err)
{
    size_t from = out->len;

    if (form == IMPORT_PART_BASE64) {
        base64_encode(content, out);
    } else if (form == IMPORT_PART_TEXT) {
        json_add_quoted(out, content);
        if (!out->failed) { /* without its quotes */
            out->len -= 2;
            memmove(out->data + from, out->data + from + 1, out->len - from);
        }
    } else {
        buf_add(out, content.data, content.len);
    }
    return buf_status(out, "a part of a file", err);
}

quire_status import_write_part(quire *q, const struct import_part *part,
                               quire_write_fn write, void *ctx,
                               quire_error *err)
{
    struct buf bytes = BUF_INIT(CEILING);
    quire_bytes content;
    quire_status st;

    if (part->form == IMPORT_PART_RAW)
        return quire_blob_read(q, &part->digest, 0, UINT64_MAX, write, ctx,
                               err);
    st = quire_blob_get(q, &part->digest, &content, err);
    if (!st)
        st = import_spell(part->form, content, &bytes, err);
    if (!st && bytes.len != part->size)
        st = err_set(err, QUIRE_DAMAGED,
                     "a row of import_part has another size than its blob");
    if (!st)
        st = write(ctx, buf_bytes(&bytes), err);
    buf_release(&bytes);
    return st;
}

/* Whether what a string says, in `content`, is spelled so. */
static bool is_spelled(struct quire_import *im, quire_bytes string)
{
    quire_error ignored;

    buf_clear(&im->spelled);
    return !import_spell(IMPORT_PART_TEXT, buf_bytes(&im->said), &im->spelled,
                         &ignored) &&
           im->spelled.len == string.len &&
           !memcmp(im->spelled.data, string.data, string.len);
}

/* How `string`, which stands between two quotes, is kept; its content goes to
 * im->said unless it is kept as it stands. */
static enum import_part_form form_of(struct quire_import *im,
                                     quire_bytes string)
{
    quire_bytes quoted;

    buf_clear(&im->said);
    if (base64_decode(string, &im->said) && !im->said.failed)
        return IMPORT_PART_BASE64;
    buf_clear(&im->said);
    buf_clear(&im->spelled);
    buf_add_char(&im->spelled, '"');
    buf_add(&im->spelled, string.data, string.len);
    buf_add_char(&im->spelled, '"');
    quoted = buf_bytes(&im->spelled);
    if (im->spelled.failed || !memchr(string.data, '\\', string.len) ||
        !json_check(quoted, 0, NULL))
        return IMPORT_PART_RAW;
    json_decode(quoted, &im->said);
    return !im->said.failed && is_spelled(im, string) ? IMPORT_PART_TEXT
                                                      : IMPORT_PART_RAW;
}

/* ---- parts ------------------------------------------------------------------ */

/* Record bytes [from, to) of im->part as a part. */
static quire_status add_part(struct quire_import *im, size_t from, size_t to,
                             bool string, quire_error *err)
{
    quire_bytes bytes = bytes_of(im->part.data + from, to - from);
    struct import_part *part;
    size_t cap = im->cap_parts ? im->cap_parts * 2 : 16;

    if (bytes.len == 0)
        return QUIRE_OK;
    if (im->n_parts == im->cap_parts) {
        part = realloc(im->parts, cap * sizeof *part);
        if (!part)
            return err_memory(err);
        im->parts = part;
        im->cap_parts = cap;
    }
    part = &im->parts[im->n_parts];
    *part = (struct import_part){.at = im->part_at, .size = bytes.len};
    if (string)
        part->form = form_of(im, bytes);
    if (part->form != IMPORT_PART_RAW)
        bytes = buf_bytes(&im->said);
    im->part_at += part->size;
    im->n_parts++;
    return import_add_blob(im, bytes, &part->digest, err);
}

static void drop_bytes(struct quire_import *im, size_t n)
{
    im->part.len -= n;
    memmove(im->part.data, im->part.data + n, im->part.len);
}

/* All that was collected. */
quire_status import_end_part(struct quire_import *im, quire_error *err)
{
    quire_status st = add_part(im, 0, im->part.len, false, err);

    buf_clear(&im->part);
    return st;
}

/* The string that begins at im->string_at ends at `to`: cut it out if it is long.
 * A data URL is cut where its base64 begins. */
static quire_status end_string(struct quire_import *im, size_t to,
                               quire_error *err)
{
    static const char mark[] = ";base64,";
    size_t from = im->string_at, n = to - from;
    const char *text = im->part.data + from, *base64;
    quire_status st;

    if (n < STRING_MIN)
        return QUIRE_OK;
    if (!memcmp(text, "data:", 5) &&
        (base64 = memmem(text, DATA_URL_MAX, mark, sizeof mark - 1)) != NULL)
        from += (size_t)(base64 - text) + sizeof mark - 1;
    st = add_part(im, 0, from, false, err);
    if (!st)
        st = add_part(im, from, to, true, err);
    drop_bytes(im, to);
    return st;
}

/* ---- the scan --------------------------------------------------------------- */

/* Whether the quote at `at` of im->part is escaped: behind an odd number of
 * backslashes of its string. */
static bool is_escaped(const struct quire_import *im, size_t at)
{
    size_t n = 0;

    while (at - n > im->string_at && im->part.data[at - n - 1] == '\\')
        n++;
    return n % 2 == 1;
}

/* Take bytes up to and including the first `c`, at most `max`; *found: it is the
 * last one. */
static quire_status take_to(struct quire_import *im, quire_bytes *bytes, char c,
                            size_t max, bool *found, quire_error *err)
{
    size_t n = bytes->len < max ? bytes->len : max;
    const char *at = memchr(bytes->data, c, n);

    *found = at != NULL;
    if (at)
        n = (size_t)(at - (const char *)bytes->data) + 1;
    buf_add(&im->part, bytes->data, n);
    *bytes = bytes_sub(*bytes, n, bytes->len);
    return buf_status(&im->part, "a part of a file", err);
}

/* Outside of strings, or in what cannot be told: up to the next quote or line. */
static quire_status scan_outside(struct quire_import *im, quire_bytes *bytes,
                                 quire_error *err)
{
    bool lost = im->scan == IMPORT_SCAN_LOST, found;
    quire_status st = take_to(im, bytes, lost ? '\n' : '"',
                              PART_BYTES - im->part.len, &found, err);

    if (st)
        return st;
    if (im->part.len >= PART_BYTES)
        st = import_end_part(im, err);
    if (found && lost) {
        im->scan = IMPORT_SCAN_OUTSIDE;
    } else if (found) {
        im->scan = IMPORT_SCAN_STRING;
        im->string_at = im->part.len;
    }
    return st;
}

static quire_status scan_string(struct quire_import *im, quire_bytes *bytes,
                                quire_error *err)
{
    size_t from = im->part.len, end;
    bool found;
    quire_status st = take_to(im, bytes, '"', STRING_MAX, &found, err);
    const char *line = st ? NULL
                          : memrchr(im->part.data + from, '\n',
                                    im->part.len - from);

    if (st)
        return st;
    if (line) { /* no string of JSON: begin again at the last line */
        end = (size_t)(line - im->part.data) + 1;
        *bytes = bytes_of((const char *)bytes->data - (im->part.len - end),
                          bytes->len + (im->part.len - end));
        im->part.len = end;
        im->scan = IMPORT_SCAN_OUTSIDE;
    } else if (found && !is_escaped(im, im->part.len - 1)) {
        /* The closing quote belongs to what follows. */
        st = end_string(im, im->part.len - 1, err);
        im->scan = IMPORT_SCAN_OUTSIDE;
    } else if (im->part.len - im->string_at > STRING_MAX) {
        im->scan = IMPORT_SCAN_LOST;
    }
    /* A string leaves less than a part; a lost one may leave more. */
    return !st && im->scan != IMPORT_SCAN_STRING && im->part.len >= PART_BYTES
               ? import_end_part(im, err)
               : st;
}

quire_status quire_import_bytes(quire_import *im, quire_bytes bytes,
                                quire_error *err)
{
    quire_status st = QUIRE_OK;

    while (bytes.len > 0 && !st)
        st = im->scan == IMPORT_SCAN_STRING ? scan_string(im, &bytes, err)
                                            : scan_outside(im, &bytes, err);
    return st;
}
