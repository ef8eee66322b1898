/* Certificates and keys: which pairs are taken, and what a reload keeps. What is
 * spoken with them is tested over a socket, in tests/http. */
#include "http/tls.h"

#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/test.h"

/* Made for these tests, and good for nothing else. */
static const char cert[] =
    "-----BEGIN CERTIFICATE-----\n"
    "MIIBfTCCASOgAwIBAgIUKANDeddzuhrGyxJB5p0vxdePZaswCgYIKoZIzj0EAwIw\n"
    "FDESMBAGA1UEAwwJbG9jYWxob3N0MB4XDTI2MTExNjE2MjcxM1oXDTM2MTExMzE2\n"
    "MjcxM1owFDESMBAGA1UEAwwJbG9jYWxob3N0MFkwEwYHKoZIzj0CAQYIKoZIzj0D\n"
    "AQcDQgAExijwXhahy+2DwTC90wus9wp5tN6XeWltWv4gPJYrEQQYGb4np5gZIVAu\n"
    "5X9/wHkRNanp2sFBPAJB0xI49RH/eaNTMFEwHQYDVR0OBBYEFAUp+lGX/VyMaSlj\n"
    "o2+U3C7qkSyqMB8GA1UdIwQYMBaAFAUp+lGX/VyMaSljo2+U3C7qkSyqMA8GA1Ud\n"
    "EwEB/wQFMAMBAf8wCgYIKoZIzj0EAwIDSAAwRQIhAP++034OUH4p99K7SYCF7DQq\n"
    "067VypD4YfPhwQtdUyF+AiB2Yo47Ixh6Hfdtbk4x9+6TpETNaV27urcJkW1GSrCf\n"
    "Ag==\n"
    "-----END CERTIFICATE-----\n";

static const char key[] =
    "-----BEGIN PRIVATE KEY-----\n"
    "MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgvYctPkkqRlVsHqU4\n"
    "T9DRwg9td1koVJT1FwN/JUUg+D+hRANCAATGKPBeFqHL7YPBML3TC6z3Cnm03pd5\n"
    "aW1a/iA8lisRBBgZvienmBkhUC7lf3/AeRE1qenawUE8AkHTEjj1Ef95\n"
    "-----END PRIVATE KEY-----\n";

static const char other_cert[] =
    "-----BEGIN CERTIFICATE-----\n"
    "MIIBfjCCASOgAwIBAgIUBPGjBIqhfp/ceutDD91JTDvfa+AwCgYIKoZIzj0EAwIw\n"
    "FDESMBAGA1UEAwwJbG9jYWxob3N0MB4XDTI2MTExNjE2MjcxM1oXDTM2MTExMzE2\n"
    "MjcxM1owFDESMBAGA1UEAwwJbG9jYWxob3N0MFkwEwYHKoZIzj0CAQYIKoZIzj0D\n"
    "AQcDQgAEh1p3IBOazNSodaNGizjsmSBXA+3f8eWiDwWuv96sBxAW2oMEUcSWoiE6\n"
    "UblNBMOy/NjF5ESfpxPlp043KMYTIqNTMFEwHQYDVR0OBBYEFIjHN7wTK42dXQT+\n"
    "VZt+anI2R/nFMB8GA1UdIwQYMBaAFIjHN7wTK42dXQT+VZt+anI2R/nFMA8GA1Ud\n"
    "EwEB/wQFMAMBAf8wCgYIKoZIzj0EAwIDSQAwRgIhANbjmgjJiODon4F8N4C/8kNm\n"
    "YVxHo+17BOLeeAj20rGXAiEAyqQ7MFTUU+F4jcvrF/bkMIkLGYRWvkK6FSes97yn\n"
    "b7E=\n"
    "-----END CERTIFICATE-----\n";

static const char other_key[] =
    "-----BEGIN PRIVATE KEY-----\n"
    "MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgOYaa2yNNvjADm0VI\n"
    "X9dUqXZXCboUUrnNjaGoDftDwRehRANCAASHWncgE5rM1Kh1o0aLOOyZIFcD7d/x\n"
    "5aIPBa6/3qwHEBbagwRRxJaiITpRuU0Ew7L82MXkRJ+nE+WnTjcoxhMi\n"
    "-----END PRIVATE KEY-----\n";

static const char *put(const char *name, const char *content, mode_t mode)
{
    const char *path = test_path(name);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    ssize_t len = (ssize_t)strlen(content);

    YES(fd >= 0 && write(fd, content, (size_t)len) == len);
    YES(!fchmod(fd, mode));
    close(fd);
    return path;
}

TEST(a_certificate_and_its_key_are_taken)
{
    struct tls *t = NULL;

    OK(tls_open(put("c", cert, 0644), put("k", key, 0600), &t, &test_err));
    tls_close(t);
    OK(tls_open(put("c", cert, 0644), put("k", key, 0640), &t, &test_err));
    tls_close(t);
}

TEST(what_is_no_pair_is_refused)
{
    const char *c = put("c", cert, 0644), *k = put("k", key, 0600);
    struct tls *t = NULL;

    IS(QUIRE_INVALID, tls_open(c, put("o", other_key, 0600), &t, &test_err));
    HAS(test_err.what, "does not match the certificate");
    IS(QUIRE_INVALID, tls_open(c, put("k2", key, 0644), &t, &test_err));
    HAS(test_err.what, "can be read by others");
    IS(QUIRE_INVALID, tls_open(c, put("k3", key, 0660), &t, &test_err));
    IS(QUIRE_INVALID, tls_open(k, k, &t, &test_err));
    HAS(test_err.what, "cannot be used");
    IS(QUIRE_INVALID, tls_open(put("e", "", 0600), k, &t, &test_err));
    IS(QUIRE_INVALID, tls_open(test_dir(), k, &t, &test_err));
    IS(QUIRE_NOT_FOUND, tls_open(test_path("none"), k, &t, &test_err));
    YES(!t && *test_err.next);
}

TEST(a_reload_that_fails_keeps_what_was)
{
    const char *c = put("c", cert, 0644), *k = put("k", key, 0600);
    struct tls *t = NULL;
    struct tls_line *before, *after;
    int pair[2];

    YES(!socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair));
    OK(tls_open(c, k, &t, &test_err));
    before = tls_begin(t, pair[0]);
    YES(before);
    EQ(TLS_TO_READ, tls_handshake(before));
    put("c", other_cert, 0644);
    IS(QUIRE_INVALID, tls_reload(t, &test_err));
    put("k", other_key, 0600);
    OK(tls_reload(t, &test_err));
    after = tls_begin(t, pair[1]);
    YES(after);
    EQ(TLS_TO_READ, tls_handshake(before)); /* with what it began with */
    EQ(TLS_TO_READ, tls_handshake(after));
    close(pair[1]);
    EQ(TLS_FAILED, tls_handshake(before));
    tls_end(before);
    tls_end(after);
    tls_close(t);
    close(pair[0]);
}
