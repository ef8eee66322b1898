/*
 * libcurl.h - the part of libcurl that is used, loaded on first use
 *
 * Declared here, not included: the development packages of libcurl's TLS
 * variants exclude each other, and a home on a disk needs none. Numbers and
 * types are libcurl's ABI, which has not changed since version 7.62 (2018);
 * tests/store/libcurl_test.c compares them with curl/curl.h where that exists.
 */
#ifndef STORE_LIBCURL_H
#define STORE_LIBCURL_H

#include <stddef.h>

#include "quire.h"

enum { /* CURLOPT_… */
       LIBCURL_WRITEDATA = 10001,
       LIBCURL_URL = 10002,
       LIBCURL_READDATA = 10009,
       LIBCURL_WRITEFUNCTION = 20011,
       LIBCURL_READFUNCTION = 20012,
       LIBCURL_USERAGENT = 10018,
       LIBCURL_HTTPHEADER = 10023,
       LIBCURL_HEADERDATA = 10029,
       LIBCURL_CUSTOMREQUEST = 10036,
       LIBCURL_NOBODY = 44,
       LIBCURL_UPLOAD = 46,
       LIBCURL_CAINFO = 10065,
       LIBCURL_FILETIME = 69,
       LIBCURL_HEADERFUNCTION = 20079,
       LIBCURL_HTTP_VERSION = 84,
       LIBCURL_BUFFERSIZE = 98,
       LIBCURL_NOSIGNAL = 99,
       LIBCURL_INFILESIZE_LARGE = 30115,
       LIBCURL_TCP_NODELAY = 121,
       LIBCURL_TIMEOUT_MS = 155,
       LIBCURL_CONNECTTIMEOUT_MS = 156,
       LIBCURL_SEEKFUNCTION = 20167,
       LIBCURL_SEEKDATA = 10168,
       LIBCURL_TCP_KEEPALIVE = 213,
       LIBCURL_PATH_AS_IS = 234,
       LIBCURL_UPLOAD_BUFFERSIZE = 280,
};

enum { /* CURLINFO_… */
       LIBCURL_RESPONSE_CODE = 0x200002,
       LIBCURL_FILETIME_T = 0x60000e,
       LIBCURL_CONTENT_LENGTH_DOWNLOAD_T = 0x60000f,
};

enum { /* CURLE_… */
       LIBCURL_OK = 0,
       LIBCURL_COULDNT_RESOLVE_HOST = 6,
       LIBCURL_COULDNT_CONNECT = 7,
       LIBCURL_PARTIAL_FILE = 18,
       LIBCURL_WRITE_ERROR = 23,
       LIBCURL_OUT_OF_MEMORY = 27,
       LIBCURL_OPERATION_TIMEDOUT = 28,
       LIBCURL_SSL_CONNECT_ERROR = 35,
       LIBCURL_ABORTED_BY_CALLBACK = 42,
       LIBCURL_GOT_NOTHING = 52,
       LIBCURL_SEND_ERROR = 55,
       LIBCURL_RECV_ERROR = 56,
       LIBCURL_PEER_FAILED_VERIFICATION = 60,
       LIBCURL_SEND_FAIL_REWIND = 65,
       LIBCURL_SSL_CACERT_BADFILE = 77,
};

enum { /* others */
       LIBCURL_GLOBAL_ALL = 3,
       LIBCURL_HTTP_VERSION_1_1 = 2,
       LIBCURL_SEEK_OK = 0,
       LIBCURL_SEEK_FAIL = 1,
       LIBCURL_READ_ABORT = 0x10000000,
};

struct curl_slist;

struct libcurl {
    int (*global_init)(long flags);
    void *(*easy_init)(void);
    void (*easy_cleanup)(void *easy);
    void (*easy_reset)(void *easy);
    int (*easy_perform)(void *easy);
    int (*easy_setopt)(void *easy, int option, ...);
    int (*easy_getinfo)(void *easy, int info, ...);
    const char *(*easy_strerror)(int code);
    struct curl_slist *(*slist_append)(struct curl_slist *, const char *);
    void (*slist_free_all)(struct curl_slist *);
};

/* QUIRE_NOT_FOUND: it is not installed. It stays loaded; threads may share it. */
quire_status libcurl_load(const struct libcurl **out, quire_error *err);

#endif
