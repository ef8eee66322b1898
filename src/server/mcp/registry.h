/*
 * registry.h - clients of MCP who come by HTTP, and where they stay
 *
 *     struct mcp_endpoint     a session of a tenant, as it is offered: a struct mcp
 *     struct mcp_client    a client that opened with `initialize`: a peer that lasts
 *     struct mcp_sse      a stream that answers one request, and who hears by it
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
 * Locks are taken in the order mcp_registry, guest, ear, and those of the mcp room after
 * them; nothing is closed with one held.
 */
#ifndef SERVER_MCP_REGISTRY_H
#define SERVER_MCP_REGISTRY_H

#include <stdbool.h>
#include <stdint.h>

#include "mcp/mcp.h"
#include "quire.h"

struct mcp_registry;
struct mcp_endpoint;
struct mcp_client;
struct mcp_sse;
struct stream;

/* NULL: no memory. `home` is borrowed. */
struct mcp_registry *mcp_registry_new(const char *home, bool allow_run);

/* No more of what takes long; what runs is stopped and waited for. */
void mcp_registry_stop(struct mcp_registry *l);

/* After mcp_registry_stop(), and when no stream is left; NULL is fine. */
void mcp_registry_free(struct mcp_registry *l);

/* How many there are, of all tenants. */
void mcp_registry_count(struct mcp_registry *l, uint64_t *guests,
                        uint64_t *streams);

/* ---- rooms -------------------------------------------------------------- */

/* The session by its own id. QUIRE_BUSY: there are too many. */
quire_status mcp_endpoint_hold(struct mcp_registry *l, int64_t tenant,
                               const char *session, struct mcp_endpoint **out,
                               quire_error *err);
void mcp_endpoint_drop(struct mcp_endpoint *r); /* NULL is fine */
struct mcp *mcp_endpoint_mcp(struct mcp_endpoint *r);

/* ---- guests ------------------------------------------------------------- */

enum { MCP_CLIENT_ID = 32 };

/* A guest that is nobody's yet; one reference. It takes over the one of `r`, on
 * failure too. */
quire_status mcp_client_new(struct mcp_endpoint *r, struct mcp_client **out,
                            quire_error *err);

/* From now on it is found by its id. QUIRE_BUSY: all others are in use. */
quire_status mcp_client_register(struct mcp_client *g, quire_error *err);

/* By its id, if it is of this tenant and session; a reference. NULL: none. */
struct mcp_client *mcp_client_find(struct mcp_registry *l, int64_t tenant,
                                   const char *session, quire_bytes id);
const char *mcp_client_id(const struct mcp_client *g);
struct mcp_peer *mcp_client_peer(struct mcp_client *g);
struct mcp_endpoint *mcp_client_room(struct mcp_client *g);

/* It is not found any more, its stream ends, and so do its long calls. */
void mcp_client_end(struct mcp_client *g);
void mcp_client_drop(struct mcp_client *g); /* the reference; NULL is fine */

/* ---- ears --------------------------------------------------------------- */

/* A stream, and for who is no guest a peer that hears by it and ends with it.
 * The caller's until it is begun. */
quire_status mcp_sse_new(struct mcp_endpoint *r, struct mcp_client *g,
                         struct mcp_sse **out, quire_error *err);
struct mcp_peer *mcp_sse_peer(struct mcp_sse *e);
void mcp_sse_free(struct mcp_sse *e); /* NULL is fine */

/* The three ways to begin: a subscription is open; a guest wants to hear what
 * changes; a call takes long, and is done by a thread of its own. On success the
 * stream is the answer's, and the ear (and the call) are not the caller's any
 * more. QUIRE_BUSY: the tenant has too many. `token`, JSON, is what progress is
 * told by; .data NULL: by nothing. */
quire_status mcp_sse_subscribe(struct mcp_sse *e, struct stream **out,
                               quire_error *err);
quire_status mcp_sse_attend(struct mcp_sse *e, struct stream **out,
                            quire_error *err);
quire_status mcp_sse_run(struct mcp_sse *e, struct mcp_call *call,
                         quire_bytes token, struct stream **out,
                         quire_error *err);

#endif
