/* libcurl.c - see libcurl.h */
#include "store/libcurl.h"

#include <pthread.h>
#include <stdbool.h>

#include "base/dynlib.h"
#include "base/err.h"

static struct libcurl lib;
static bool is_loaded;

static void load(void)
{
    static const struct dynlib_symbol calls[] = {
        {"curl_global_init", &lib.global_init},
        {"curl_easy_init", &lib.easy_init},
        {"curl_easy_cleanup", &lib.easy_cleanup},
        {"curl_easy_reset", &lib.easy_reset},
        {"curl_easy_perform", &lib.easy_perform},
        {"curl_easy_setopt", &lib.easy_setopt},
        {"curl_easy_getinfo", &lib.easy_getinfo},
        {"curl_easy_strerror", &lib.easy_strerror},
        {"curl_slist_append", &lib.slist_append},
        {"curl_slist_free_all", &lib.slist_free_all},
    };
    const size_t n = sizeof calls / sizeof *calls;

    /* The variant over GnuTLS first: nettle is loaded anyway. */
    is_loaded = (dynlib_load("libcurl-gnutls.so.4", calls, n) ||
                 dynlib_load("libcurl.so.4", calls, n)) &&
                lib.global_init(LIBCURL_GLOBAL_ALL) == LIBCURL_OK;
}

quire_status libcurl_load(const struct libcurl **out, quire_error *err)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, load);
    *out = &lib;
    if (is_loaded)
        return QUIRE_OK;
    return err_fail(err, QUIRE_NOT_FOUND,
                    "install Debian's package libcurl3-gnutls or libcurl4",
                    "libcurl is not installed, which objects in S3 need");
}
