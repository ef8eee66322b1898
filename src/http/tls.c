/* tls.c - see tls.h */
#include "http/tls.h"

#include <errno.h>
#include <fcntl.h>
#include <gnutls/gnutls.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/dynlib.h"
#include "base/fs.h"

/* A record has at most so much; so that is what is encrypted at once. */
enum { RECORD = 16 * 1024, FILE_MAX = 1 << 20 };

/* No static RSA, so that a key that is lost later opens nothing that was said
 * before; no MACs by SHA-1, and with them no CBC that anybody still asks for. */
static const char choice[] = "SECURE128:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2:"
                             "-RSA:-SHA1:%SERVER_PRECEDENCE";

/* ---- the library -------------------------------------------------------- */

/* Its functions that are used here, found by name. */
static struct {
    bool there;
    __typeof__(gnutls_certificate_allocate_credentials) *new_cred;
    __typeof__(gnutls_certificate_free_credentials) *free_cred;
    __typeof__(gnutls_certificate_set_x509_key_mem) *set_key;
    __typeof__(gnutls_priority_init) *new_choice;
    __typeof__(gnutls_priority_deinit) *free_choice;
    __typeof__(gnutls_session_ticket_key_generate) *new_ticket;
    __typeof__(gnutls_session_ticket_enable_server) *use_ticket;
    __typeof__(gnutls_free) *free; /* a variable of the library's */
    __typeof__(gnutls_init) *begin;
    __typeof__(gnutls_deinit) *end;
    __typeof__(gnutls_credentials_set) *use_cred;
    __typeof__(gnutls_priority_set) *use_choice;
    __typeof__(gnutls_alpn_set_protocols) *use_protocols;
    __typeof__(gnutls_transport_set_int2) *use_fd;
    __typeof__(gnutls_handshake) *shake;
    __typeof__(gnutls_record_get_direction) *direction;
    __typeof__(gnutls_record_recv) *recv;
    __typeof__(gnutls_record_send) *send;
    __typeof__(gnutls_record_check_pending) *pending;
    __typeof__(gnutls_bye) *bye;
    __typeof__(gnutls_error_is_fatal) *is_fatal;
    __typeof__(gnutls_strerror) *words;
} lib;

static void load(void)
{
    static const struct dynlib_symbol calls[] = {
        {"gnutls_certificate_allocate_credentials", &lib.new_cred},
        {"gnutls_certificate_free_credentials", &lib.free_cred},
        {"gnutls_certificate_set_x509_key_mem", &lib.set_key},
        {"gnutls_priority_init", &lib.new_choice},
        {"gnutls_priority_deinit", &lib.free_choice},
        {"gnutls_session_ticket_key_generate", &lib.new_ticket},
        {"gnutls_session_ticket_enable_server", &lib.use_ticket},
        {"gnutls_free", &lib.free},
        {"gnutls_init", &lib.begin},
        {"gnutls_deinit", &lib.end},
        {"gnutls_credentials_set", &lib.use_cred},
        {"gnutls_priority_set", &lib.use_choice},
        {"gnutls_alpn_set_protocols", &lib.use_protocols},
        {"gnutls_transport_set_int2", &lib.use_fd},
        {"gnutls_handshake", &lib.shake},
        {"gnutls_record_get_direction", &lib.direction},
        {"gnutls_record_recv", &lib.recv},
        {"gnutls_record_send", &lib.send},
        {"gnutls_record_check_pending", &lib.pending},
        {"gnutls_bye", &lib.bye},
        {"gnutls_error_is_fatal", &lib.is_fatal},
        {"gnutls_strerror", &lib.words},
    };

    lib.there = dynlib_load("libgnutls.so.30", calls,
                            sizeof calls / sizeof *calls);
}

static quire_status need_library(quire_error *err)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, load);
    if (lib.there)
        return QUIRE_OK;
    return err_fail(
        err, QUIRE_NOT_FOUND,
        "install Debian's package libgnutls30, or let a proxy do TLS",
        "GnuTLS is not installed");
}

/* ---- certificates ------------------------------------------------------- */

/* A certificate and its key. Connections that were begun with one keep it. */
struct cred {
    atomic_int refs;
    gnutls_certificate_credentials_t c;
};

struct tls {
    char *cert, *key; /* paths; owned */
    gnutls_priority_t choice;
    gnutls_datum_t ticket; /* by which a client is known again */
    pthread_mutex_t lock;  /* of `cred` */
    struct cred *cred;
};

static void cred_free(struct cred *c)
{
    if (!c || atomic_fetch_sub(&c->refs, 1) > 1)
        return;
    if (c->c)
        lib.free_cred(c->c);
    free(c);
}

/* Only the owner may read a key, and a group made for that, like Debian's
 * ssl-cert. */
static quire_status check_secret(const char *path, const struct stat *st,
                                 quire_error *err)
{
    if (!(st->st_mode & 037))
        return QUIRE_OK;
    return err_fail(err, QUIRE_INVALID,
                    "set its mode to 600, and replace the key if others may "
                    "have read it",
                    "the key %.150s can be read by others", path);
}

static quire_status read_file(const char *path, bool secret, struct buf *out,
                              quire_error *err)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat st;
    ssize_t n = -1;
    quire_status status = QUIRE_OK;
    void *room;

    if (fd < 0 || fstat(fd, &st) < 0) {
        status = err_sys(err, errno, "cannot read %.150s", path);
        err_next(err, HINT_SHELL "--tls-cert and --tls-key are files in PEM");
    } else if (!S_ISREG(st.st_mode) || st.st_size > FILE_MAX) {
        status = err_fail(err, QUIRE_INVALID,
                          HINT_SHELL
                          "--tls-cert and --tls-key are files in PEM",
                          "%.150s is not a PEM file", path);
    } else {
        status = secret ? check_secret(path, &st, err) : QUIRE_OK;
        room = status ? NULL : buf_room(out, (size_t)st.st_size + 1);
        if (!status && !room)
            status = err_memory(err);
        if (!status)
            n = fs_read_full(fd, room, (size_t)st.st_size);
        if (!status && n < 0)
            status = err_sys(err, errno, "cannot read %.150s", path);
        if (!status)
            buf_grow(out, (size_t)n);
    }
    if (fd >= 0)
        close(fd);
    return status;
}

static quire_status refuse_pair(const struct tls *t, int why, quire_error *err)
{
    quire_status st;

    if (why == GNUTLS_E_CERTIFICATE_KEY_MISMATCH) {
        st = err_fail(err, QUIRE_INVALID,
                      "give a certificate and its own key; the server's "
                      "certificate comes first in its file",
                      "the key %.90s does not match the certificate %.90s",
                      t->key, t->cert);
        return st;
    }
    return err_fail(err, QUIRE_INVALID,
                    "both must be in PEM, the key without a passphrase",
                    "the certificate %.70s and the key %.70s cannot be used: "
                    "%.60s",
                    t->cert, t->key, lib.words(why));
}

static quire_status read_pair(const struct tls *t, struct cred **out,
                              quire_error *err)
{
    struct buf cert = BUF_INIT(2 * FILE_MAX), key = BUF_INIT(2 * FILE_MAX);
    struct cred *c = calloc(1, sizeof *c);
    quire_status st = c ? QUIRE_OK : err_memory(err);
    gnutls_datum_t a, b;
    int why;

    if (!st) {
        atomic_init(&c->refs, 1);
        st = read_file(t->cert, false, &cert, err);
    }
    if (!st)
        st = read_file(t->key, true, &key, err);
    if (!st && lib.new_cred(&c->c) < 0)
        st = err_memory(err);
    if (!st) {
        a = (gnutls_datum_t){(void *)cert.data, (unsigned)cert.len};
        b = (gnutls_datum_t){(void *)key.data, (unsigned)key.len};
        why = lib.set_key(c->c, &a, &b, GNUTLS_X509_FMT_PEM);
        st = why < 0 ? refuse_pair(t, why, err) : QUIRE_OK;
    }
    if (key.data)
        explicit_bzero(key.data, key.len);
    buf_release(&cert);
    buf_release(&key);
    if (st)
        cred_free(c);
    else
        *out = c;
    return st;
}

quire_status tls_open(const char *cert, const char *key, struct tls **out,
                      quire_error *err)
{
    quire_status st = need_library(err);
    struct tls *t = st ? NULL : calloc(1, sizeof *t);

    *out = NULL;
    if (st)
        return st;
    if (!t)
        return err_memory(err);
    pthread_mutex_init(&t->lock, NULL);
    t->cert = strdup(cert);
    t->key = strdup(key);
    if (!t->cert || !t->key)
        st = err_memory(err);
    if (!st)
        st = read_pair(t, &t->cred, err);
    if (!st && (lib.new_choice(&t->choice, choice, NULL) < 0 ||
                lib.new_ticket(&t->ticket) < 0))
        st = err_set(err, QUIRE_IO, "GnuTLS cannot be used");
    if (st)
        tls_close(t);
    else
        *out = t;
    return st;
}

quire_status tls_reload(struct tls *t, quire_error *err)
{
    struct cred *fresh = NULL, *old;
    quire_status st = read_pair(t, &fresh, err);

    if (st)
        return st;
    pthread_mutex_lock(&t->lock);
    old = t->cred;
    t->cred = fresh;
    pthread_mutex_unlock(&t->lock);
    cred_free(old);
    return QUIRE_OK;
}

void tls_close(struct tls *t)
{
    if (!t)
        return;
    cred_free(t->cred);
    if (t->choice)
        lib.free_choice(t->choice);
    if (t->ticket.data) {
        explicit_bzero(t->ticket.data, t->ticket.size);
        (*lib.free)(t->ticket.data);
    }
    pthread_mutex_destroy(&t->lock);
    free(t->cert);
    free(t->key);
    free(t);
}

/* ---- one connection ----------------------------------------------------- */

struct tls_line {
    gnutls_session_t s;
    struct cred *cred;
    bool waits; /* a record is encrypted and not all of it sent */
};

struct tls_line *tls_begin(struct tls *t, int fd)
{
    struct tls_line *l = calloc(1, sizeof *l);
    char name[] = "http/1.1";
    gnutls_datum_t spoken = {(unsigned char *)name, sizeof name - 1};

    if (!l)
        return NULL;
    pthread_mutex_lock(&t->lock);
    l->cred = t->cred;
    atomic_fetch_add(&l->cred->refs, 1);
    pthread_mutex_unlock(&t->lock);
    if (lib.begin(&l->s, GNUTLS_SERVER | GNUTLS_NONBLOCK | GNUTLS_NO_SIGNAL) <
        0) {
        l->s = NULL;
        tls_end(l);
        return NULL;
    }
    lib.use_fd(l->s, fd, fd);
    if (lib.use_choice(l->s, t->choice) < 0 ||
        lib.use_cred(l->s, GNUTLS_CRD_CERTIFICATE, l->cred->c) < 0 ||
        lib.use_protocols(l->s, &spoken, 1, GNUTLS_ALPN_MANDATORY) < 0 ||
        lib.use_ticket(l->s, &t->ticket) < 0) {
        tls_end(l);
        return NULL;
    }
    return l;
}

void tls_end(struct tls_line *l)
{
    if (!l)
        return;
    if (l->s)
        lib.end(l->s);
    cred_free(l->cred);
    free(l);
}

enum tls_step tls_handshake(struct tls_line *l)
{
    int st;

    do
        st = lib.shake(l->s);
    while (st < 0 && st != GNUTLS_E_AGAIN && !lib.is_fatal(st));
    if (st == GNUTLS_E_SUCCESS)
        return TLS_DONE;
    if (st != GNUTLS_E_AGAIN)
        return TLS_FAILED;
    return lib.direction(l->s) ? TLS_TO_WRITE : TLS_TO_READ;
}

/* Set errno for a failure of GnuTLS. Renegotiation is refused. */
static ssize_t fail(ssize_t st)
{
    errno = st == GNUTLS_E_AGAIN         ? EAGAIN
            : st == GNUTLS_E_INTERRUPTED ? EINTR
                                         : ECONNRESET;
    return -1;
}

ssize_t tls_read(struct tls_line *l, void *buf, size_t cap)
{
    ssize_t n = lib.recv(l->s, buf, cap);

    return n < 0 ? fail(n) : n;
}

ssize_t tls_write(struct tls_line *l, const struct iovec *v, int n)
{
    char record[RECORD];
    size_t len = 0, some;
    ssize_t sent;
    int i;

    for (i = 0; i < n && len < sizeof record && !l->waits; i++) {
        some = sizeof record - len;
        some = v[i].iov_len < some ? v[i].iov_len : some;
        memcpy(record + len, v[i].iov_base, some);
        len += some;
    }
    sent = l->waits ? lib.send(l->s, NULL, 0) : lib.send(l->s, record, len);
    l->waits = sent == GNUTLS_E_AGAIN || sent == GNUTLS_E_INTERRUPTED;
    return sent < 0 ? fail(sent) : sent;
}

bool tls_has_more(struct tls_line *l)
{
    return lib.pending(l->s) > 0;
}

void tls_send_close(struct tls_line *l)
{
    if (!l->waits)
        lib.bye(l->s, GNUTLS_SHUT_WR);
}
