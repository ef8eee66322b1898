/*
 * usage_fuzz.c - any bytes as a session file that grows
 *
 * Wherever a file is cut, counting what is there and then counting on gives what
 * counting all of it at once does. Nothing is counted before its line is whole,
 * and no line is counted twice. The first two bytes say where to cut.
 */
#include <stdint.h>
#include <string.h>

#include "base/bytes.h"
#include "base/clock.h"
#include "holds.h"
#include "session/usage.h"
#include "store/store.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct store *store;

static void count_on(quire_bytes text, struct session_usage *t)
{
    struct object_info info;
    struct log *file;
    struct log_draft *d;

    HOLDS(!log_create(store->logs, "log", &d, NULL));
    HOLDS(!log_write(d, text, NULL));
    HOLDS(!log_publish(d, "f", true, NULL, NULL));
    HOLDS(!log_open(store->logs, "f", LOG_READ, &file, &info, NULL));
    HOLDS(!session_usage_read(file, t, NULL, NULL));
    log_close(file);
    HOLDS(t->scanned <= text.len);
    HOLDS(t->messages <= t->entries);
    HOLDS(t->entries <= bytes_count(text, '\n'));
}

static void same(const struct session_usage *a, const struct session_usage *b)
{
    HOLDS(a->entries == b->entries && a->messages == b->messages);
    HOLDS(a->input == b->input && a->output == b->output);
    HOLDS(a->cache_read == b->cache_read && a->cache_write == b->cache_write);
    HOLDS(a->total == b->total && a->cost == b->cost);
    HOLDS(a->scanned == b->scanned && a->damaged == b->damaged);
    HOLDS(a->tail_len == b->tail_len && !memcmp(a->tail, b->tail, a->tail_len));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct session_usage once = {0}, twice = {0};
    quire_bytes text;
    size_t cut;

    if (size < 2)
        return 0;
    if (!store)
        HOLDS(!store_memory_open(&clock_system, &store, NULL));
    text = bytes_of(data + 2, size - 2);
    cut = ((size_t)data[0] << 8 | data[1]) % (text.len + 1);
    count_on(text, &once);
    count_on(bytes_sub(text, 0, cut), &twice);
    count_on(text, &twice);
    same(&once, &twice);
    count_on(text, &twice);
    same(&once, &twice);
    return 0;
}
