/*
 * Accept-Encoding.
 *
 * A client gets gzip only if it named gzip or *; blanks and the case
 * of letters change nothing, and what is said of another packing neither.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "server/priv.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool fine)
{
    if (!fine)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct buf other = BUF_INIT(1 << 20);
    quire_bytes text = bytes_of(data, size);
    bool wants = compress_wants_gzip(text);
    size_t i;

    if (wants)
        check(memchr(data, '*', size) || memmem(data, size, "z", 1) ||
              memmem(data, size, "Z", 1));
    buf_add_str(&other, " br;q=0.3\t,");
    for (i = 0; i < size; i++) {
        if (data[i] == ',')
            buf_add_str(&other, "\t , ");
        else
            buf_add_char(&other, (char)toupper(data[i]));
    }
    check(compress_wants_gzip(buf_bytes(&other)) == wants);
    buf_release(&other);
    return 0;
}
