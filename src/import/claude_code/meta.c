/*
 * meta.c - records without a place in the tree
 *
 * What they say that matters becomes an entry below the current leaf: it is
 * where the session was when the record was written. Records that repeat the
 * last one of their kind word by word, as the program writes them at every
 * start and end, are only counted.
 */
#include "import/claude_code/claude_code.h"

#include <stdio.h>

#include "base/map.h"

static const quire_bytes none = {NULL, 0};

static quire_bytes kind_name(const struct line *l)
{
    quire_bytes type = l->of[LINE_TYPE];

    if (json_kind(type) != JSON_STRING)
        return bytes_str("record");
    return bytes_sub(type, 1, type.len - 1);
}

static quire_status keep_in_original(struct import_converter *c,
                                     const struct line *l)
{
    counts_add(&c->counts, "kept", kind_name(l), none);
    return QUIRE_OK;
}

/* ---- below the leaf ----------------------------------------------------- */

struct trailer {
    uint32_t node, up, parent;
};

static struct trailer begin_trailer(struct import_converter *c)
{
    struct claude *s = claude_of(c);
    struct trailer t = {convert_part(c, 0), c->leaf, TREE_NONE};

    if (t.up == TREE_NONE)
        t.up = s->side_leaf;
    if (t.up == TREE_NONE)
        t.up = s->root;
    if (t.up == TREE_NONE)
        s->root = t.node;
    t.parent = tree_tail(&c->tree, t.up);
    return t;
}

static void end_trailer(struct import_converter *c, const struct trailer *t)
{
    if (t->up != TREE_NONE)
        tree_extend(&c->tree, t->up, t->node);
}

static quire_status add_custom(struct import_converter *c, const struct line *l,
                               quire_error *err)
{
    quire_bytes data = claude_data(c, l);
    struct trailer t = begin_trailer(c);
    quire_status st;

    if (t.node == TREE_NONE)
        return QUIRE_OK;
    st = entry_custom(c, t.node, t.parent, kind_name(l), data, err);
    end_trailer(c, &t);
    return st;
}

/* ---- kinds -------------------------------------------------------------- */

/* Titles in the order in which they count. */
enum rank { RANK_SUMMARY = 1, RANK_AI, RANK_USER };

static quire_status set_title(struct import_converter *c, const struct line *l,
                              quire_bytes title, enum rank rank,
                              quire_error *err)
{
    struct claude *s = claude_of(c);
    struct buf *fact = &c->facts[FACT_TITLE];
    struct trailer t;
    quire_status st;

    if (json_kind(title) != JSON_STRING || title.len <= 2 ||
        s->title_rank > rank)
        return keep_in_original(c, l);
    if (bytes_equal(convert_text(c, title), buf_bytes(fact))) {
        s->title_rank = rank;
        counts_add(&c->counts, "repeated", kind_name(l), none);
        return QUIRE_OK;
    }
    s->title_rank = rank;
    convert_fact(c, FACT_TITLE, title);
    t = begin_trailer(c);
    if (t.node == TREE_NONE)
        return QUIRE_OK;
    st = entry_title(c, t.node, t.parent, title, rank == RANK_USER, err);
    end_trailer(c, &t);
    return st;
}

static quire_status on_summary(struct import_converter *c, const struct line *l,
                               quire_error *err)
{
    return set_title(c, l, l->of[LINE_SUMMARY], RANK_SUMMARY, err);
}

static quire_status on_ai_title(struct import_converter *c,
                                const struct line *l, quire_error *err)
{
    return set_title(c, l, l->of[LINE_AI_TITLE], RANK_AI, err);
}

static quire_status on_custom_title(struct import_converter *c,
                                    const struct line *l, quire_error *err)
{
    return set_title(c, l, l->of[LINE_CUSTOM_TITLE], RANK_USER, err);
}

/* Where the program would continue. */
static quire_status on_last_prompt(struct import_converter *c,
                                   const struct line *l, quire_error *err)
{
    uint32_t leaf = convert_find(c, l->of[LINE_LEAF]), entry = TREE_NONE;

    (void)err;
    if (leaf != TREE_NONE)
        entry = c->tree.nodes[leaf].entry;
    /* A boundary is no entry yet. */
    if (entry != TREE_NONE && entry != claude_of(c)->boundary)
        c->leaf = leaf;
    return keep_in_original(c, l);
}

/* Whether a backup was named before; from now on it was. */
static bool is_known_backup(struct import_converter *c, quire_bytes name)
{
    char text[160];
    struct tree_key key;
    quire_bytes plain = convert_text(c, name);
    int n = snprintf(text, sizeof text, "backup %.*s", (int)plain.len,
                     (const char *)plain.data);

    if (n < 0 || (size_t)n >= sizeof text)
        return true;
    key = tree_key_other(bytes_of(text, (size_t)n));
    if (tree_find(&c->tree, &key) != TREE_NONE)
        return true;
    tree_add(&c->tree, &key);
    return false;
}

/* Each snapshot repeats the backups of those before: those that are new, as an object
 * of path and name of the copy in ~/.claude/file-history/<session>. */
static quire_status list_backups(struct import_converter *c, quire_bytes files,
                                 struct buf *out, quire_error *err)
{
    quire_status st = QUIRE_OK;
    struct json_scan it;

    json_iter_init(&it, files);
    while (!st && json_next(&it)) {
        quire_bytes name = json_get(it.value, "backupFileName");

        if (json_kind(name) != JSON_STRING || name.len <= 2 ||
            is_known_backup(c, name))
            continue;
        buf_add_char(out, out->len ? ',' : '{');
        add_bytes(out, it.key);
        buf_add_char(out, ':');
        add_bytes(out, name);
        st = convert_link(c, IMPORT_FILE_BACKUP, name, TREE_NONE, err);
    }
    if (out->len)
        buf_add_char(out, '}');
    return st ? st : buf_status(out, "a snapshot of files", err);
}

static quire_status on_snapshot(struct import_converter *c,
                                const struct line *l, quire_error *err)
{
    quire_bytes files = json_get(l->of[LINE_SNAPSHOT], "trackedFileBackups");
    struct buf backups = BUF_INIT(IMPORT_CEILING);
    struct trailer t;
    quire_status st = QUIRE_OK;

    keep_in_original(c, l);
    if (json_kind(files) == JSON_OBJECT)
        st = list_backups(c, files, &backups, err);
    if (!st && backups.len) {
        t = begin_trailer(c);
        if (t.node != TREE_NONE) {
            st = entry_custom(c, t.node, t.parent, kind_name(l),
                              buf_bytes(&backups), err);
            end_trailer(c, &t);
        }
    }
    buf_release(&backups);
    return st;
}

/* A prompt that was typed ahead is a message once it is taken from the queue. */
static quire_status on_queue(struct import_converter *c, const struct line *l,
                             quire_error *err)
{
    quire_bytes operation = l->of[LINE_OPERATION];

    if (json_kind(operation) == JSON_STRING && json_is(operation, "dequeue"))
        return keep_in_original(c, l);
    return add_custom(c, l, err);
}

static quire_status on_kept(struct import_converter *c, const struct line *l,
                            quire_error *err)
{
    (void)err;
    return keep_in_original(c, l);
}

static quire_status on_relocated(struct import_converter *c,
                                 const struct line *l, quire_error *err)
{
    convert_fact(c, FACT_CWD, l->of[LINE_RELOCATED_CWD]);
    return add_custom(c, l, err);
}

/* NULL: an entry if it differs from the last of its kind. */
static const struct {
    const char *name;
    quire_status (*convert)(struct import_converter *c, const struct line *l,
                            quire_error *err);
} kinds[] = {
    {"summary", on_summary},
    {"ai-title", on_ai_title},
    {"custom-title", on_custom_title},
    {"last-prompt", on_last_prompt},
    {"file-history-snapshot", on_snapshot},
    {"queue-operation", on_queue},
    {"progress", on_kept},
    {"relocated", on_relocated},
    {"agent-name", NULL},
    {"agent-setting", NULL},
    {"mode", NULL},
    {"permission-mode", NULL},
    {"pr-link", NULL},
    {"frame-link", NULL},
    {"worktree-state", NULL},
    {"bridge-session", NULL},
    {"atis-latch", NULL},
    {"started", NULL}, /* of a workflow's journal */
    {"result", NULL},
};

_Static_assert(sizeof kinds / sizeof *kinds - 8 <= N_STATE_KINDS,
               "a hash for each kind");

static quire_status add_if_new(struct import_converter *c, const struct line *l,
                               size_t kind, quire_error *err)
{
    static const uint64_t seed[2] = {1, 2};
    uint64_t *last = &claude_of(c)->last_state[kind % N_STATE_KINDS];
    uint64_t hash = map_hash(seed, claude_data(c, l));

    if (hash == *last) {
        counts_add(&c->counts, "repeated", kind_name(l), none);
        return QUIRE_OK;
    }
    *last = hash;
    return add_custom(c, l, err);
}

quire_status claude_meta(struct import_converter *c, const struct line *l,
                         quire_error *err)
{
    quire_bytes type = l->of[LINE_TYPE];
    size_t i;

    for (i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (json_kind(type) != JSON_STRING || !json_is(type, kinds[i].name))
            continue;
        return kinds[i].convert ? kinds[i].convert(c, l, err)
                                : add_if_new(c, l, i - 8, err);
    }
    counts_add(&c->counts, "unknown", kind_name(l), none);
    return add_custom(c, l, err);
}
