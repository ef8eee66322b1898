/*
 * tls.h - connections nobody else can read
 *
 * By GnuTLS, which is loaded when a certificate is given and not before. TLS 1.2
 * and 1.3, forward secrecy always, no second handshake on a connection, and
 * HTTP/1.1 as what is spoken within. docs/decisions/028-tls.md says why.
 *
 * Nothing here waits: what would is told, and done when the socket is ready.
 */
#ifndef HTTP_TLS_H
#define HTTP_TLS_H

#include <stdbool.h>
#include <sys/types.h>
#include <sys/uio.h>

#include "quire.h"

struct tls;
struct tls_line;

/* Of a certificate, with those that lead to its root behind it, and its key, both
 * in PEM. A key that others can read is no secret, and refused.
 *
 * QUIRE_NOT_FOUND  there is no GnuTLS, or no such file
 * QUIRE_INVALID    they are not what they should be, or not of each other */
quire_status tls_open(const char *cert, const char *key, struct tls **out,
                      quire_error *err);

/* Read both files again, for connections that are yet to come. After a failure
 * all is as it was. From any thread, but from no signal handler. */
quire_status tls_reload(struct tls *t, quire_error *err);
void tls_close(struct tls *t); /* NULL is fine */

/* ---- one connection ------------------------------------------------------ */

/* NULL: no memory. */
struct tls_line *tls_begin(struct tls *t, int fd);
void tls_end(struct tls_line *l); /* NULL is fine; the descriptor stays */

enum tls_step { TLS_DONE, TLS_TO_READ, TLS_TO_WRITE, TLS_FAILED };

/* Go on with the handshake; call it again when the socket is ready. */
enum tls_step tls_shake(struct tls_line *l);

/* As read() and writev(): EAGAIN when it would wait. A write that would have to
 * wait is to be tried again with the same bytes. */
ssize_t tls_read(struct tls_line *l, void *buf, size_t cap);
ssize_t tls_write(struct tls_line *l, const struct iovec *v, int n);

/* Whether something has come that the socket does not show any more. */
bool tls_has_more(struct tls_line *l);

/* Say that nothing more is coming, if that can be said at once. */
void tls_say_end(struct tls_line *l);

#endif
