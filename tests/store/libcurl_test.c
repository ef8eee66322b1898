/* The declarations of libcurl, beside its own header. */
#include "store/libcurl.h"
#include "support/test.h"

#if __has_include(<curl/curl.h>)
#include <curl/curl.h>

#define OPT(name) \
    _Static_assert((int)LIBCURL_##name == (int)CURLOPT_##name, "CURLOPT_" #name)
#define INFO(name)                                              \
    _Static_assert((int)LIBCURL_##name == (int)CURLINFO_##name, \
                   "CURLINFO_" #name)
#define CODE(name) \
    _Static_assert((int)LIBCURL_##name == (int)CURLE_##name, "CURLE_" #name)

OPT(WRITEDATA);
OPT(URL);
OPT(READDATA);
OPT(WRITEFUNCTION);
OPT(READFUNCTION);
OPT(USERAGENT);
OPT(HTTPHEADER);
OPT(HEADERDATA);
OPT(CUSTOMREQUEST);
OPT(NOBODY);
OPT(UPLOAD);
OPT(CAINFO);
OPT(FILETIME);
OPT(HEADERFUNCTION);
OPT(HTTP_VERSION);
OPT(BUFFERSIZE);
OPT(NOSIGNAL);
OPT(INFILESIZE_LARGE);
OPT(TCP_NODELAY);
OPT(TIMEOUT_MS);
OPT(CONNECTTIMEOUT_MS);
OPT(SEEKFUNCTION);
OPT(SEEKDATA);
OPT(TCP_KEEPALIVE);
OPT(PATH_AS_IS);
OPT(UPLOAD_BUFFERSIZE);
INFO(RESPONSE_CODE);
INFO(FILETIME_T);
INFO(CONTENT_LENGTH_DOWNLOAD_T);
CODE(OK);
CODE(COULDNT_RESOLVE_HOST);
CODE(COULDNT_CONNECT);
CODE(PARTIAL_FILE);
CODE(WRITE_ERROR);
CODE(OUT_OF_MEMORY);
CODE(OPERATION_TIMEDOUT);
CODE(SSL_CONNECT_ERROR);
CODE(ABORTED_BY_CALLBACK);
CODE(GOT_NOTHING);
CODE(SEND_ERROR);
CODE(RECV_ERROR);
CODE(PEER_FAILED_VERIFICATION);
CODE(SEND_FAIL_REWIND);
CODE(SSL_CACERT_BADFILE);
_Static_assert(LIBCURL_GLOBAL_ALL == CURL_GLOBAL_ALL, "CURL_GLOBAL_ALL");
_Static_assert((int)LIBCURL_HTTP_VERSION_1_1 == (int)CURL_HTTP_VERSION_1_1,
               "CURL_HTTP_VERSION_1_1");
_Static_assert(LIBCURL_SEEK_OK == CURL_SEEKFUNC_OK, "CURL_SEEKFUNC_OK");
_Static_assert(LIBCURL_SEEK_FAIL == CURL_SEEKFUNC_FAIL, "CURL_SEEKFUNC_FAIL");
_Static_assert(LIBCURL_READ_ABORT == CURL_READFUNC_ABORT,
               "CURL_READFUNC_ABORT");
_Static_assert(sizeof(curl_off_t) == sizeof(int64_t), "curl_off_t");
static const bool have_header = true;
#else
static const bool have_header = false;
#endif

TEST(libcurl_is_declared_as_in_its_own_header)
{
    if (!have_header)
        SKIP("curl/curl.h is not installed");
}

TEST(libcurl_is_loaded_where_it_is_installed)
{
    const struct libcurl *curl;

    if (libcurl_load(&curl, &test_err) == QUIRE_NOT_FOUND) {
        HAS(test_err.next, "libcurl");
        SKIP("libcurl is not installed");
    }
    HAS(curl->easy_strerror(LIBCURL_COULDNT_CONNECT), "onnect");
}
