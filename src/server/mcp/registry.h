/*
 * registry.h - MCP sessions over HTTP: registry, client sessions, event streams
 *
 *     struct mcp_endpoint  one Quire session of a tenant, served as a struct mcp
 *     struct mcp_client    a client that sent `initialize`: a peer that persists
 *     struct mcp_sse       the stream that answers one request, and its peer
 *
 * Since 2026-07-28 MCP is stateless: a peer is made for one request, and only the
 * endpoint is shared. Older clients have a session, found by the Mcp-Session-Id
 * they got, which is valid for their tenant only.
 *
 * When a tenant's token is rotated, or the tenant is disabled or removed, all of it
 * ends: mcp_registry_end_tenant().
 *
 * Everything is bounded for each tenant: clients (the longest idle one is
 * evicted), streams, long calls. Unused ones expire. One thread polls all
 * endpoints that have subscribers or long calls.
 *
 * Endpoints, clients and streams are reference counted. Locks are taken in the
 * order registry, client, stream, then those of struct mcp; nothing is closed
 * while one is held.
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

/* NULL: no memory. `store` is borrowed. */
struct mcp_registry *mcp_registry_new(const quire_options *store,
                                      bool allow_run);

/* Refuse long calls; stop those that run and wait for them. */
void mcp_registry_stop(struct mcp_registry *l);

/* After mcp_registry_stop(), and when no stream is left; NULL is fine. */
void mcp_registry_free(struct mcp_registry *l);

/* Clients and streams of all tenants. */
void mcp_registry_count(struct mcp_registry *l, uint64_t *clients,
                        uint64_t *streams);

/* Revoke the access of a tenant: unregister its clients, cancel its long calls and
 * end its streams. */
void mcp_registry_end_tenant(struct mcp_registry *l, int64_t tenant);

/* ---- endpoints ---------------------------------------------------------- */

/* The endpoint of a session, by its id; a reference. QUIRE_BUSY: too many. */
quire_status mcp_endpoint_hold(struct mcp_registry *l, int64_t tenant,
                               const char *session, struct mcp_endpoint **out,
                               quire_error *err);
void mcp_endpoint_drop(struct mcp_endpoint *r); /* NULL is fine */
struct mcp *mcp_endpoint_mcp(struct mcp_endpoint *r);

/* ---- clients ------------------------------------------------------------ */

enum { MCP_CLIENT_ID = 32 };

/* A client that is not registered yet; one reference. It takes over the one of `r`,
 * on failure too. */
quire_status mcp_client_new(struct mcp_endpoint *r, struct mcp_client **out,
                            quire_error *err);

/* Make it findable by its id. QUIRE_BUSY: all clients of the tenant are in use. */
quire_status mcp_client_register(struct mcp_client *g, quire_error *err);

/* By id, if it belongs to this tenant and session; a reference. NULL: none. */
struct mcp_client *mcp_client_find(struct mcp_registry *l, int64_t tenant,
                                   const char *session, quire_bytes id);
const char *mcp_client_id(const struct mcp_client *g);
struct mcp_peer *mcp_client_peer(struct mcp_client *g);
struct mcp_endpoint *mcp_client_endpoint(struct mcp_client *g);

/* Unregister it, end its stream and its long calls. */
void mcp_client_end(struct mcp_client *g);
void mcp_client_drop(struct mcp_client *g); /* the reference; NULL is fine */

/* ---- streams ------------------------------------------------------------ */

/* A stream; without a client (NULL) also a peer that ends with it. The caller owns
 * it until it is started. */
quire_status mcp_sse_new(struct mcp_endpoint *r, struct mcp_client *g,
                         struct mcp_sse **out, quire_error *err);
struct mcp_peer *mcp_sse_peer(struct mcp_sse *e);
void mcp_sse_free(struct mcp_sse *e); /* NULL is fine */

/* Three ways to start: for a subscription; for a client's GET; for a long call,
 * which runs on a thread of its own. On success *out belongs to the answer, and the
 * stream (and the call) no longer to the caller. QUIRE_BUSY: the tenant has too
 * many. `token`, JSON, is the progress token; .data NULL: none. */
quire_status mcp_sse_subscribe(struct mcp_sse *e, struct stream **out,
                               quire_error *err);
quire_status mcp_sse_attend(struct mcp_sse *e, struct stream **out,
                            quire_error *err);
quire_status mcp_sse_run(struct mcp_sse *e, struct mcp_call *call,
                         quire_bytes token, struct stream **out,
                         quire_error *err);

#endif
