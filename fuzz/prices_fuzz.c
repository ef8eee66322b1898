/* Tables of prices of a user's: what is read can be used. */
#include <assert.h>
#include <string.h>

#include "base/bytes.h"
#include "session/prices.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const uint64_t tokens[N_TOKENS] = {1, 1000, 999999, UINT64_MAX};
    struct arena keep = ARENA_INIT;
    struct prices own;
    quire_error err = {0};
    quire_status st = prices_read(bytes_of(data, size), &keep, &own, &err);
    size_t i;

    assert(st == QUIRE_OK || (st == QUIRE_INVALID && *err.what));
    for (i = 0; i < own.n; i++) {
        const struct price *p = prices_find(&own, own.list[i].model);

        /* A name of a table may end in "$", which no model has to. */
        assert(p || strchr(own.list[i].model, '$'));
        assert(price_nano(&own.list[i], tokens) <= INT64_MAX);
    }
    arena_release(&keep);
    return 0;
}
