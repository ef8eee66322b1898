/* postgres_lib.c - see postgres_lib.h */
#include "store/postgres_lib.h"

#include <pthread.h>

#include "base/dynlib.h"
#include "base/err.h"

static struct libpq calls;
static bool loaded;

static void load(void)
{
#define LIBPQ_SYMBOL(name) {"PQ" #name, &calls.name},
    static const struct dynlib_symbol symbols[] = {LIBPQ_CALLS(LIBPQ_SYMBOL)};

    loaded = dynlib_load("libpq.so.5", symbols,
                         sizeof symbols / sizeof *symbols);
}

quire_status libpq_load(const struct libpq **out, quire_error *err)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, load);
    *out = &calls;
    return loaded ? QUIRE_OK
                  : err_fail(err, QUIRE_NOT_FOUND,
                             "install Debian's package libpq5",
                             "the client library of PostgreSQL (libpq.so.5) is "
                             "not installed");
}
