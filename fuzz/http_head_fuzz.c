/*
 * Requests as anybody may send them.
 *
 * A head that is complete is the same however much follows it, and no beginning
 * of it is complete. Chunks give the same content however they are cut.
 */
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "http/parse.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool fine)
{
    if (!fine)
        abort();
}

static enum head_state decode(quire_bytes text, size_t step, struct buf *out)
{
    struct chunks c = {0};
    enum head_state st = HEAD_MORE;
    size_t at = 0, n;
    quire_bytes piece;

    while (st == HEAD_MORE && at < text.len) {
        size_t part = text.len - at < step ? text.len - at : step;

        st = http_parse_chunk(&c, bytes_of((const char *)text.data + at, part),
                              &n, &piece);
        if (st == HEAD_BAD)
            break;
        check(n > 0 && n <= part);
        buf_add(out, piece.data, piece.len);
        at += n;
    }
    return st;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    quire_bytes all = bytes_of(data, size);
    struct buf whole = BUF_INIT(1 << 20), cut = BUF_INIT(1 << 20);
    static struct head head, again;
    enum head_state st, other;
    size_t used = 0, n;
    int status = 0;
    const char *why = NULL;

    if (size == 0 || size > 4096)
        return 0;
    st = http_parse_head(all, &head, &used, &status, &why);
    if (st == HEAD_BAD)
        check(status >= 400 && why);
    if (st == HEAD_DONE) {
        check(used <= size && head.n_fields <= HEAD_FIELDS_MAX);
        check(http_parse_head(bytes_of(data, used), &again, &n, &status,
                              &why) == HEAD_DONE &&
              n == used);
        check(http_parse_head(bytes_of(data, used - 1), &again, &n, &status,
                              &why) == HEAD_MORE);
    }
    st = decode(all, size, &whole);
    other = decode(all, 1 + data[0] % 7, &cut);
    check(st == other);
    if (st != HEAD_BAD)
        check(bytes_equal(buf_bytes(&whole), buf_bytes(&cut)));
    buf_release(&whole);
    buf_release(&cut);
    return 0;
}
