/*
 * request.h - reads and checks a request of the tool `workspace`
 *
 * A refusal has a stable code for programs, a message, and a suggestion that a
 * model can act on without further knowledge.
 */
#ifndef WORKSPACE_REQUEST_H
#define WORKSPACE_REQUEST_H

#include "base/json.h"
#include "workspace/priv.h"

enum tool_action {
    TOOL_WRITE,
    TOOL_READ,
    TOOL_LIST,
    TOOL_SEARCH,
    TOOL_DELETE,
    N_TOOL_ACTIONS
};

/* Why a request was refused. */
struct refusal {
    const char *code; /* static; NULL: not refused */
    bool retryable;
    char message[512];
    char suggestion[512];
};

/* Text is in an arena, or static. */
struct request {
    enum tool_action action;
    enum workspace_scope scope;
    const char *filename; /* clean; "" where none is needed     */
    int64_t id;           /* read: of an artifact, instead; 0   */
    quire_bytes content;  /* decoded                             */
    const char *purpose;  /* NULL: not given                     */
    const char *agent;    /* that writes it; NULL: not given     */
    const char *const *tags;
    const char *query;
    bool base64; /* content is base64; read: encode as base64 */
    uint64_t offset, limit;
    const char *cursor; /* NULL: from the start */
};

/* Read and check a request. False: refused, and *no says why. */
bool request_read(const struct workspace *s, quire_bytes text,
                  struct arena *keep, struct request *out, struct refusal *no);

const char *request_action(enum tool_action action);
const char *request_scope(enum workspace_scope scope);

/* Fill in a refusal: code, suggestion, message. Returns false. */
bool refuse(struct refusal *no, const char *code, const char *suggestion,
            const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/* The refusal that corresponds to a failed call. */
void refuse_status(struct refusal *no, quire_status st, const quire_error *err);

#endif
