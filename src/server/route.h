/*
 * route.h - the table of HTTP operations
 *
 * One row is one operation: name, method, path pattern, fields, flags, status,
 * answer schema and handler. Routing, validation, limits and /openapi.json are
 * all derived from the rows in routes/table.c; a new operation is a handler and
 * a row.
 *
 * A pattern consists of segments. ":name" matches one segment, "*name" the rest
 * of the path; `path_params` has the type of each name. "a|b" matches a or b: one
 * row under two names. Its answer may be "A|B" then, a schema for each.
 */
#ifndef SERVER_ROUTE_H
#define SERVER_ROUTE_H

#include <stdbool.h>
#include <stdint.h>

#include "server/events.h"

enum field_kind {
    FIELD_TEXT,
    FIELD_NUMBER, /* integer, 0 or more      */
    FIELD_FLAG,
    FIELD_TEXTS,   /* array of strings        */
    FIELD_NUMBERS, /* array of such integers  */
    FIELD_OBJECT,
    FIELD_ANY,
};

enum {
    FIELD_NEEDED = 1 << 0,
    FIELD_QUERY = 1 << 1,  /* in the query, not in the body          */
    FIELD_NULL = 1 << 2,   /* null is a value of its own             */
    FIELD_BYTES = 1 << 3,  /* any characters, U+0000 included: read it with
                              request_bytes() */
    FIELD_FROM_1 = 1 << 4, /* number of at least 1                   */
};

/* A field of the query or of the JSON body. */
struct field {
    const char *name;
    enum field_kind kind;
    unsigned flags;
    const char *prose;
    const char *type; /* what it takes, as in openapi/schema.h, where `kind` is
                         too general: choices, lists with commas; NULL: any */
    uint64_t otherwise, max; /* of a number; max 0: no limit */
};

/* What is valid for a parameter of a path. */
enum param_kind {
    PARAM_NUMBER,
    PARAM_TEXT,
    PARAM_SHA256,
    PARAM_SESSION, /* a session's number, or at least 8 characters of its id */
};

struct path_param {
    const char *name;
    const char *shown; /* its name in /openapi.json and in messages */
    enum param_kind kind;
    const char *prose;
};

/* All names that patterns use; ends with a NULL name. */
extern const struct path_param path_params[];

enum {
    ROUTE_WRITE = 1 << 0,
    ROUTE_ADMIN = 1 << 1,      /* needs the admin token                      */
    ROUTE_PUBLIC = 1 << 2,     /* needs no token                             */
    ROUTE_INLINE = 1 << 3,     /* short: runs on the event loop              */
    ROUTE_RAW = 1 << 4,        /* the body is content, not JSON              */
    ROUTE_RAW_ANSWER = 1 << 5, /* so is the answer                           */
    ROUTE_REPLAY_200 = 1 << 6, /* 200 if it existed already                  */
    ROUTE_RANGES = 1 << 7,     /* supports Range                             */
    ROUTE_LOCAL = 1 << 8,      /* with ROUTE_ADMIN: no token from loopback   */
    ROUTE_CACHEABLE = 1 << 9,  /* reads only the catalogue: response_cache.h */
    ROUTE_SECRET = 1 << 10,    /* the answer must not be stored              */
    ROUTE_GROUP = 1 << 11,     /* small catalogue write: group_commit.h      */
    ROUTE_LARGE = 1 << 12,     /* with ROUTE_RAW: the body may be large      */
    ROUTE_FILE = 1 << 13,      /* with ROUTE_LARGE: limited by quota.file    */
    ROUTE_BIG_JSON = 1 << 14,  /* JSON with content in it: up to 64 MiB      */
    ROUTE_HTML = 1 << 15,      /* only for clients that take HTML            */
    ROUTE_HOME = 1 << 24,      /* for the tenant `default`, on this machine  */
    ROUTE_READS = 1 << 30,     /* changes nothing, whatever its method       */
};

/* A write that publishes this event when it succeeds. */
#define ROUTE_WRITES(event) ((unsigned)ROUTE_WRITE | (unsigned)(event) << 16)
#define ROUTE_EVENT(flags)  ((enum event_kind)((flags) >> 16 & 0xff))

/* Headers of a request or an answer that not every route has. */
enum {
    HEADER_MATCH = 1 << 0,       /* If-Match, If-None-Match             */
    HEADER_ETAG = 1 << 1,        /* answers ETag                        */
    HEADER_EVENT_ID = 1 << 2,    /* Last-Event-ID                       */
    HEADER_MCP = 1 << 3,         /* those of MCP                        */
    HEADER_MCP_SESSION = 1 << 4, /* answers Mcp-Session-Id              */
};

enum { ROUTE_REFUSALS = 2 };

struct request;

struct route {
    const char *name;
    const char *method;
    const char *pattern;
    const char *prose; /* one sentence                            */
    unsigned flags;
    const struct field *fields; /* NULL: none; ends with a NULL name */
    int status;                 /* on success                      */
    const char *answer;         /* name of a schema: openapi/schema.c */
    void (*run)(struct request *c);

    /* For /openapi.json alone; most rows leave them out. */
    unsigned headers;  /* HEADER_...                                  */
    const char *body;  /* schema of a JSON body with ROUTE_RAW        */
    const char *again; /* what 200 means with ROUTE_REPLAY_200        */
    bool accepted;     /* may answer 202                              */
    struct {
        int status;
        const char *schema;
    } refusals[ROUTE_REFUSALS]; /* that are more than {"error",...}   */
};

/* What belongs to one session. arbiter calls sessions conversations. */
#define ROUTE_SESSIONS "/v1/conversations|sessions"
#define ROUTE_SESSION  ROUTE_SESSIONS "/:session"

/* All operations; ends with a NULL name. */
extern const struct route routes[];

enum { PARAMS_MAX = 4, FIELDS_MAX = 24 };

#endif
