/* heads.c - see heads.h */
#include "view/heads.h"

#include <string.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/err.h"

enum { NAMES_MAX = 256, COLUMNS_BYTES = 256 << 20 };

/* Names by their address: those of an open session are the same for equal names. */
struct names {
    const char *list[NAMES_MAX];
    unsigned n, last;
};

enum column {
    COLUMN_ID,
    COLUMN_UP,
    COLUMN_TYPE,
    COLUMN_ROLE,
    COLUMN_TOOL,
    COLUMN_MODEL,
    COLUMN_TIME,
    COLUMN_SIZE,
    COLUMN_LINES,
    COLUMN_CALLS,
    COLUMN_TOKENS,
    COLUMN_CONTEXT,
    COLUMN_FLAGS,
    N_COLUMNS
};

static const char *const column_names[N_COLUMNS] =
    {"id",   "up",    "type",  "role",   "tool",    "model", "dt",
     "size", "lines", "calls", "tokens", "context", "flags"};

struct heads {
    struct buf text[N_COLUMNS];
    struct json_writer column[N_COLUMNS];
    struct names types, roles, tools, models;
    int64_t first_ms, last_ms;
    bool begun;
};

/* -1: the empty name. */
static int64_t name_index(struct names *names, const char *name)
{
    unsigned i;

    if (!*name)
        return -1;
    if (names->n && names->list[names->last] == name)
        return names->last;
    for (i = 0; i < names->n && names->list[i] != name;)
        i++;
    if (i == names->n) {
        if (i == NAMES_MAX)
            return -1;
        names->list[names->n++] = name;
    }
    names->last = i;
    return i;
}

static void put(struct heads *h, enum column c, int64_t value)
{
    json_int(&h->column[c], value);
}

static int64_t time_step(struct heads *h, const quire_head *head)
{
    int64_t ms = head->time_ms ? head->time_ms : h->last_ms, step;

    if (!h->begun)
        h->first_ms = h->last_ms = ms;
    h->begun = true;
    step = ms - h->last_ms;
    h->last_ms = ms;
    return step;
}

static quire_status add_head(void *ctx, const quire_head *head,
                             quire_error *err)
{
    struct heads *h = ctx;

    (void)err;
    json_bytes(&h->column[COLUMN_ID],
               head->id.data ? head->id : bytes_of("", 0));
    /* A parent may come after its child: then the step is negative. */
    put(h, COLUMN_UP,
        head->parent == SIZE_MAX
            ? 0
            : (int64_t)head->ordinal - (int64_t)head->parent);
    put(h, COLUMN_TYPE, name_index(&h->types, head->type));
    put(h, COLUMN_ROLE, name_index(&h->roles, head->role));
    put(h, COLUMN_TOOL, name_index(&h->tools, head->tool));
    put(h, COLUMN_MODEL, name_index(&h->models, head->model));
    put(h, COLUMN_TIME, time_step(h, head));
    put(h, COLUMN_SIZE, (int64_t)head->bytes);
    put(h, COLUMN_LINES, head->lines);
    put(h, COLUMN_CALLS, head->calls);
    put(h, COLUMN_TOKENS, (int64_t)head->output_tokens);
    put(h, COLUMN_CONTEXT, (int64_t)(head->input_tokens + head->cached_tokens));
    put(h, COLUMN_FLAGS, head->flags);
    return QUIRE_OK;
}

static void write_names(struct json_writer *w, const char *key,
                        const struct names *names)
{
    unsigned i;

    json_key(w, key);
    json_array(w);
    for (i = 0; i < names->n; i++)
        json_str(w, names->list[i]);
    json_array_end(w);
}

static quire_status write_heads(struct heads *h, const quire_heads_info *info,
                                size_t from, struct json_writer *w,
                                quire_error *err)
{
    int i;

    json_put_str(w, "generation", info->generation);
    json_put_uint(w, "from", from);
    json_put_uint(w, "n", info->n);
    json_put_int(w, "leaf", info->leaf == SIZE_MAX ? -1 : (int64_t)info->leaf);
    write_names(w, "types", &h->types);
    write_names(w, "roles", &h->roles);
    write_names(w, "tools", &h->tools);
    write_names(w, "models", &h->models);
    json_put_int(w, "t0", h->first_ms);
    for (i = 0; i < N_COLUMNS; i++) {
        json_array_end(&h->column[i]);
        if (h->text[i].failed)
            return err_memory(err);
        json_put_raw(w, column_names[i], buf_bytes(&h->text[i]));
    }
    return QUIRE_OK;
}

quire_status view_heads(quire_session *s, size_t from, struct json_writer *w,
                        quire_error *err)
{
    struct heads h = {.begun = false};
    quire_heads_info info;
    quire_status st;
    int i;

    for (i = 0; i < N_COLUMNS; i++) {
        h.text[i] = (struct buf)BUF_INIT(COLUMNS_BYTES);
        json_begin(&h.column[i], &h.text[i]);
        json_array(&h.column[i]);
    }
    st = quire_session_heads(s, from, &info, add_head, &h, err);
    if (!st)
        st = write_heads(&h, &info, from, w, err);
    for (i = 0; i < N_COLUMNS; i++)
        buf_release(&h.text[i]);
    return st;
}
