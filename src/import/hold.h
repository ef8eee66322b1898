/*
 * hold.h - answers that are not finished, and the entries behind them
 *
 * A model answer may stand in several records, with others between them: the
 * results of its first tools, records of another branch or a sub-agent. It
 * becomes one entry, at the place of its first record. So from there on entries
 * wait in a queue until the answer is *closed*:
 *
 *     [answer, open] [result] [result] [answer, open] [attachment] ...
 *       ^ the first is always an open answer, or the queue is empty
 *
 * The format closes an answer when something comes that can only follow it.
 * When the queue has more than HOLD_ITEMS entries, HOLD_OPEN open answers or
 * HOLD_BYTES bytes, the first answer is closed as it is: a later record of it
 * becomes an entry of its own. The limits count entries, not chunks of the
 * file, so they fall at the same place in every run.
 */
#ifndef IMPORT_HOLD_H
#define IMPORT_HOLD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/timestamp.h"
#include "import/short_json.h"
#include "import/state.h"
#include "quire.h"

#define HOLD_BYTES ((size_t)1 << 20)

enum { HOLD_ITEMS = 64, HOLD_OPEN = 8 };

/* A point in time, as text and number. */
struct stamp {
    char text[TIMESTAMP_SIZE]; /* as entries have it; "": none yet */
    int64_t ms;
};

enum stop_reason {
    STOP_UNKNOWN,
    STOP_END,
    STOP_TOOL,
    STOP_LENGTH,
    STOP_ERROR,
    STOP_ABORTED
};

/* The interface of a provider whose messages these are. */
enum answer_api {
    API_UNKNOWN,
    API_ANTHROPIC,
    API_OPENAI_RESPONSES,
    API_OPENAI_CHAT,
    API_GOOGLE,
};

/* What the sink gets beside the JSON of an entry. */
struct entry_flags {
    uint64_t at; /* where its first record begins */
    bool is_message, inherited, sidechain;
};

/* Its tokens do not overlap. */
struct answer {
    uint32_t parent; /* node of the entry above; TREE_NONE: a root          */
    struct stamp stamp;
    struct short_json id, request, model, provider;
    enum stop_reason stop;
    enum answer_api api;
    unsigned has_call : 1;
    unsigned has_usage : 1;
    unsigned counted : 1; /* its usage is in an entry emitted before        */
    unsigned done : 1;    /* no more blocks, but its usage may still come   */
    uint64_t input, output, cache_read, cache_write_5m, cache_write_1h;
    double dollars; /* what the agent says it cost; 0: it does not          */
    struct short_json error;
};

struct held {
    uint32_t node;
    bool is_answer, is_open;
    struct entry_flags flags;
    struct answer answer;
    struct buf json; /* the entry; of an answer its blocks, with commas     */
};

struct hold {
    struct held *items; /* owned; a ring of HOLD_ITEMS + 1 */
    unsigned first, n, n_open;
    size_t bytes;
};

struct import_converter;

quire_status hold_init(struct hold *h, quire_error *err);
void hold_release(struct hold *h);

/* Begin an answer, whose other members the caller fills in. */
quire_status hold_open(struct import_converter *c, uint32_t node,
                       struct held **out, quire_error *err);

/* The open answer with this id, the last open one; NULL: there is none. */
struct held *hold_find(struct hold *h, quire_bytes id);
struct held *hold_last(struct hold *h);

/* Close an answer, all those whose tail is `tail` (a node), or all. */
quire_status hold_close(struct import_converter *c, struct held *item,
                        quire_error *err);
quire_status hold_close_above(struct import_converter *c, uint32_t tail,
                              quire_error *err);
quire_status hold_close_all(struct import_converter *c, quire_error *err);

/* c->out is an entry: emit it, now or in its turn. */
quire_status hold_entry(struct import_converter *c, uint32_t node,
                        bool is_message, quire_error *err);

/* Blocks were added to an answer: keep to the limits. */
quire_status hold_grown(struct import_converter *c, size_t bytes,
                        quire_error *err);

void hold_save(const struct hold *h, struct buf *out);
bool hold_restore(struct hold *h, uint32_t n_nodes, struct state_reader *r);

#endif
