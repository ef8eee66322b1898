/* open_session.h - the session that the path of a request names, open */
#ifndef SERVER_OPEN_SESSION_H
#define SERVER_OPEN_SESSION_H

#include "server/request.h"

/* Open the session of the path, from the pool if it is there. Close it with
 * request_close_session(). NULL: answered. */
quire_session *request_open_session(struct request *c, unsigned flags);
void request_close_session(struct request *c, quire_session *s);

/* Flush the session, close it, and answer the entry that was appended, or the failure
 * `st`. If the session was imported, the request is about the one in which it goes on
 * from then on. */
void request_answer_appended(struct request *c, quire_session *s,
                             quire_status st, const quire_appended *done,
                             quire_error *err);

#endif
