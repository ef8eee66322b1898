/*
 * tls.h - TLS connections
 *
 * By GnuTLS, loaded when a certificate is configured. TLS 1.2 and 1.3, forward
 * secrecy always, no renegotiation, ALPN http/1.1. docs/decisions has the reasons.
 *
 * Nothing here blocks: a call that would block reports it, and is repeated when the
 * socket is ready.
 */
#ifndef HTTP_TLS_H
#define HTTP_TLS_H

#include <stdbool.h>
#include <sys/types.h>
#include <sys/uio.h>

#include "quire.h"

struct tls;
struct tls_line;

/* A certificate chain and its key, both in PEM. A key file that others can read is
 * refused.
 *
 * QUIRE_NOT_FOUND  GnuTLS or a file is missing
 * QUIRE_INVALID    not PEM, or the key is not the certificate's */
quire_status tls_open(const char *cert, const char *key, struct tls **out,
                      quire_error *err);

/* Read both files again, for new connections. On failure the old ones stay. From
 * any thread, but not from a signal handler. */
quire_status tls_reload(struct tls *t, quire_error *err);
void tls_close(struct tls *t); /* NULL is fine */

/* ---- one connection ------------------------------------------------------ */

/* NULL: no memory. */
struct tls_line *tls_begin(struct tls *t, int fd);
void tls_end(struct tls_line *l); /* NULL is fine; the descriptor stays */

enum tls_step { TLS_DONE, TLS_TO_READ, TLS_TO_WRITE, TLS_FAILED };

/* Continue the handshake; call it again when the socket is ready. */
enum tls_step tls_handshake(struct tls_line *l);

/* As read() and writev(): EAGAIN when it would block. A write that would block must
 * be repeated with the same bytes. */
ssize_t tls_read(struct tls_line *l, void *buf, size_t cap);
ssize_t tls_write(struct tls_line *l, const struct iovec *v, int n);

/* Whether decrypted bytes wait that poll() does not see. */
bool tls_has_more(struct tls_line *l);

/* Send close_notify, if that does not block. */
void tls_send_close(struct tls_line *l);

#endif
