/*
 * registry.h - clients of MCP who come by HTTP, and where they stay
 *
 *     struct room     a session of a tenant, as it is offered: a struct mcp
 *     struct guest    a client that opened with `initialize`: a peer that lasts
 *     struct ear      a stream that answers one request, and who hears by it
 *
 * Since 2026-07-28 a client is nobody between two requests: its peer is made for
 * one, and only a room is shared. Before that it is a guest, known by the id it
 * was given (Mcp-Session-Id), which is good for the tenant it was given to.
 *
 * Everything is bounded for each tenant: guests (who was silent longest makes
 * room), streams, long calls; what nobody has used for a while is forgotten. One
 * thread looks for all rooms where somebody listens, or waits for a long call.
 *
 * Whoever has a room, a guest or an ear holds a reference; the last one frees it.
 * Locks are taken in the order lodge, guest, ear, and those of the mcp room after
 * them; nothing is closed with one held.
 */
#ifndef SERVER_MCP_REGISTRY_H
#define SERVER_MCP_REGISTRY_H

#include <stdbool.h>
#include <stdint.h>

#include "mcp/mcp.h"
#include "quire.h"

struct lodge;
struct room;
struct guest;
struct ear;
struct stream;

/* NULL: no memory. `home` is borrowed. */
struct lodge *lodge_new(const char *home, bool allow_run);

/* No more of what takes long; what runs is stopped and waited for. */
void lodge_stop(struct lodge *l);

/* After lodge_stop(), and when no stream is left; NULL is fine. */
void lodge_free(struct lodge *l);

/* How many there are, of all tenants. */
void lodge_count(struct lodge *l, uint64_t *guests, uint64_t *streams);

/* ---- rooms -------------------------------------------------------------- */

/* The session by its own id. QUIRE_BUSY: there are too many. */
quire_status room_hold(struct lodge *l, int64_t tenant, const char *session,
                       struct room **out, quire_error *err);
void room_drop(struct room *r); /* NULL is fine */
struct mcp *room_mcp(struct room *r);

/* ---- guests ------------------------------------------------------------- */

enum { GUEST_ID = 32 };

/* A guest that is nobody's yet; one reference. It takes over the one of `r`, on
 * failure too. */
quire_status guest_new(struct room *r, struct guest **out, quire_error *err);

/* From now on it is found by its id. QUIRE_BUSY: all others are in use. */
quire_status guest_register(struct guest *g, quire_error *err);

/* By its id, if it is of this tenant and session; a reference. NULL: none. */
struct guest *guest_find(struct lodge *l, int64_t tenant, const char *session,
                         quire_bytes id);
const char *guest_id(const struct guest *g);
struct mcp_peer *guest_peer(struct guest *g);
struct room *guest_room(struct guest *g);

/* It is not found any more, its stream ends, and so do its long calls. */
void guest_end(struct guest *g);
void guest_drop(struct guest *g); /* the reference; NULL is fine */

/* ---- ears --------------------------------------------------------------- */

/* A stream, and for who is no guest a peer that hears by it and ends with it.
 * The caller's until it is begun. */
quire_status ear_new(struct room *r, struct guest *g, struct ear **out,
                     quire_error *err);
struct mcp_peer *ear_peer(struct ear *e);
void ear_free(struct ear *e); /* NULL is fine */

/* The three ways to begin: a subscription is open; a guest wants to hear what
 * changes; a call takes long, and is done by a thread of its own. On success the
 * stream is the answer's, and the ear (and the call) are not the caller's any
 * more. QUIRE_BUSY: the tenant has too many. `token`, JSON, is what progress is
 * told by; .data NULL: by nothing. */
quire_status ear_subscribe(struct ear *e, struct stream **out,
                           quire_error *err);
quire_status ear_attend(struct ear *e, struct stream **out, quire_error *err);
quire_status ear_run(struct ear *e, struct mcp_call *call, quire_bytes token,
                     struct stream **out, quire_error *err);

#endif
