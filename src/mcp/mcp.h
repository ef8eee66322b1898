/*
 * mcp.h - the Model Context Protocol, independent of its transport
 *
 * MCP is JSON-RPC. This module turns a message into an answer; transports are
 * stdio.h and the HTTP server. Four types:
 *
 *     struct mcp         a server for one session
 *     struct mcp_peer    one client and its subscriptions
 *     struct mcp_handle  a thread's handle of the store
 *     struct mcp_call    one message that needs an answer
 *
 * A message takes two steps. mcp_begin() parses it and does at once what needs no
 * store: initialize, constant lists, cancellations, refusals. The rest is mcp_do(),
 * on any thread with a handle. So the reader goes on reading, and a cancellation
 * overtakes its call.
 *
 *     reader     begin --+--> answer
 *                        |
 *     worker             +--> do --> answer
 *                              |
 *     notifications            +--> send: progress, "a resource has changed"
 *
 * There are two eras of the protocol, and a client shows with each message
 * which one it is from. Up to 2025-11-25 it opens with `initialize`, and the
 * version agreed upon is the peer's from then on. Since 2026-07-28 every
 * request carries its version in `_meta`, and the server keeps no state.
 * Both can come from one peer.
 *
 * Always true:
 *
 *   (1) A request gets one answer or, if it was cancelled, none; a notification
 *       gets none. Whatever the bytes were, the next message is read as if
 *       nothing had been.
 *   (2) The session is the one of struct mcp. Nothing in a message names
 *       another, unless `read_all` lets others be read.
 *   (3) An answer is one line of JSON, without its newline, and UTF-8.
 *   (4) A subscriber gets nothing before its acknowledgement, and nothing that it
 *       did not subscribe to.
 *
 * Over HTTP every message is a request of its own, with a peer for each, or one for
 * the lifetime of an Mcp-Session-Id. `via`
 * has the headers, which are compared with the body; what is sent before the
 * answer makes it a stream; a stream that the client closes is mcp_cancel(), or
 * the end of its peer. A struct mcp is for one session of one tenant.
 *
 * Threads. A handle is used by one thread at a time. A peer and a struct mcp may
 * be used by all; `send` may be called from any of them, one message at a time
 * for each call of mcp_send_fn, and has to see to its own order. A call is
 * begun by one thread, then done and ended by one, which may be another. Calls
 * end before their peer, peers and handles before the struct mcp.
 */
#ifndef MCP_MCP_H
#define MCP_MCP_H

#include <stdbool.h>
#include <stdint.h>

#include "quire.h"

struct mcp;
struct mcp_handle;
struct mcp_peer;
struct mcp_call;

/* The transport refuses longer messages. */
#define MCP_MESSAGE_MAX ((size_t)64 << 20)

/* Messages of one batch. */
enum { MCP_BATCH_MAX = 100 };

struct mcp_config {
    const quire_options *store; /* how handles open it; borrowed          */
    const char *session;        /* NULL: the built-in `temp`              */
    bool of_directory;          /* without one: the last session of the working
                                   directory, or a new one, created by the first
                                   call that writes                       */
    bool allow_run;             /* the tool has a sixth action, `run`     */
    bool read_all;              /* other sessions can be read             */
    bool read_only;             /* nothing is changed                     */
    unsigned tools;             /* MCP_TOOL_...; 0: all but `session`     */
    bool asks_roots;            /* the transport can ask the client for its
                                   directories (`roots`): with of_directory the
                                   first of them is meant                 */
};

/* The tools. */
enum {
    MCP_TOOL_WORKSPACE = 1 << 0,
    MCP_TOOL_RECALL = 1 << 1,
    MCP_TOOL_READ = 1 << 2,
    MCP_TOOL_REMEMBER = 1 << 3,
    MCP_TOOL_SESSION = 1 << 4,
};

/* The bit of a tool's name; 0: there is none. */
unsigned mcp_tool_bit(quire_bytes name);

quire_status mcp_open(const struct mcp_config *config, struct mcp **out,
                      quire_error *err);
void mcp_close(struct mcp *m);

/* A handle of the store: `q`, which the caller keeps, or a new one. The first one
 * resolves the session; there is none yet in a directory without one.
 * QUIRE_NOT_FOUND: unknown session. */
quire_status mcp_handle_open(struct mcp *m, quire *q, struct mcp_handle **out,
                             quire_error *err);
void mcp_handle_close(struct mcp_handle *h);

/* Takes a message to the client: a notification, or the last word on a
 * subscription. On loan until it returns. */
typedef void (*mcp_send_fn)(void *ctx, quire_bytes message);

quire_status mcp_peer_open(struct mcp *m, mcp_send_fn send, void *ctx,
                           struct mcp_peer **out, quire_error *err);

/* Open subscriptions get their answer first. */
void mcp_peer_close(struct mcp_peer *p);

/* The transport of a message: its HTTP headers, NULL where absent. */
struct mcp_via {
    bool http;
    const char *version; /* MCP-Protocol-Version */
    const char *method;  /* Mcp-Method           */
    const char *name;    /* Mcp-Name             */
};

/* Parse a message. NULL: it needs no answer, and is done. */
struct mcp_call *mcp_begin(struct mcp_peer *p, quire_bytes message,
                           const struct mcp_via *via);

/* The state of a call. */
enum mcp_state {
    MCP_READY,  /* it has its answer                                      */
    MCP_LOOK,   /* mcp_do() will look at something                        */
    MCP_CHANGE, /* it will change something: in its turn, not before what
                  was asked before it                                    */
    MCP_LONG,   /* it may take minutes: nothing should wait for it        */
    MCP_OPEN,   /* a subscription. It is the peer's own from now on, and is
                  answered when that is closed, if it lives so long      */
};
enum mcp_state mcp_state(const struct mcp_call *c);

/* Run it, and return MCP_READY or MCP_OPEN; with MCP_OPEN the peer owns the call. */
enum mcp_state mcp_do(struct mcp_call *c, struct mcp_handle *h);

/* Answer with an error, because no handle could be opened. */
void mcp_refuse(struct mcp_call *c, const quire_error *err);

/* The answer, on loan until the call ends; .data NULL: there is none, since it
 * was cancelled. *status (may be NULL) is what HTTP calls it: 200, 400, 404. */
quire_bytes mcp_answer(const struct mcp_call *c, int *status);

void mcp_end(struct mcp_call *c);

/* Cancel a call, as `notifications/cancelled` does. Not for MCP_OPEN. */
void mcp_cancel(struct mcp_call *c);

/* End what may take minutes: no more is begun, and what runs is stopped. */
void mcp_stop(struct mcp *m);

/* The answer to a message that could not even be read whole. */
extern const char mcp_too_long[];

/* ---- notifications.c ---------------------------------------------------- */

/* A descriptor that becomes readable when mcp_look() may have something to
 * do. */
int mcp_look_fd(const struct mcp *m);

/* Compare subscribed resources with their last state, and notify the peers. Also
 * sends progress of long calls. `changed`: a watch reported a change of files. */
void mcp_look(struct mcp *m, struct mcp_handle *h, bool changed);

/* Monotonic. */
int64_t mcp_now_ms(void);

/* The store of a handle; and the id of the session, NULL while it is not known. */
quire *mcp_handle_store(struct mcp_handle *h);
const char *mcp_session(struct mcp *m);

#endif
