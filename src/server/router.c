/*
 * router.c - see router.h
 *
 *     v1 ── conversations ── :id ── artifacts ┬─ restore      POST
 *                                             └─ :aid         GET DELETE
 *
 * A node has literal children, at most one ":" child and at most one "*" child.
 * Literals come first; the others are tried after them, so that a path which
 * fits a literal of another method can still be told from an unknown one.
 */
#include "server/router.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"

enum { LEAVES_MAX = 8, SESSION_PREFIX_MIN = 8, SESSION_ID_MAX = 128 };

struct leaf {
    const struct route *route;
    struct leaf *next;
};

struct node {
    quire_bytes segment; /* with its ":" or "*"           */
    struct node *child;  /* literals, then ":", then "*"  */
    struct node *next;   /* sibling                       */
    struct leaf *leaves; /* routes that end here          */
};

struct router {
    struct arena arena;
    struct node root;
};

/* ---- building ----------------------------------------------------------- */

static char mark_of(quire_bytes segment)
{
    const char *s = segment.data;

    return segment.len > 0 && (*s == ':' || *s == '*') ? *s : '\0';
}

/* The next segment of "/a/b"; *at moves behind it. False: none is left. */
static bool next_segment(const char **at, const char *end, quire_bytes *out)
{
    const char *from = *at, *slash;

    if (from >= end || *from != '/')
        return false;
    from++;
    slash = memchr(from, '/', (size_t)(end - from));
    *at = slash ? slash : end;
    *out = bytes_of(from, (size_t)(*at - from));
    return true;
}

static int rank_of(quire_bytes segment)
{
    return mark_of(segment) == '*' ? 2 : mark_of(segment) == ':' ? 1 : 0;
}

/* The child with this segment; parameters of one place are one child, whatever
 * their names. NULL: out of memory. */
static struct node *add_child(struct router *r, struct node *n,
                              quire_bytes segment)
{
    struct node **at = &n->child, *child;

    while (*at && rank_of((*at)->segment) <= rank_of(segment)) {
        if (mark_of(segment) ? mark_of((*at)->segment) == mark_of(segment)
                             : bytes_equal((*at)->segment, segment))
            return *at;
        at = &(*at)->next;
    }
    child = arena_alloc(&r->arena, sizeof *child);
    if (!child)
        return NULL;
    *child = (struct node){.segment = segment, .next = *at};
    *at = child;
    return child;
}

/* The next of "a|b"; *rest is what follows. False: none is left. */
static bool next_alternative(quire_bytes *rest, quire_bytes *out)
{
    const char *bar = rest->len ? memchr(rest->data, '|', rest->len) : NULL;
    size_t len = bar ? (size_t)(bar - (const char *)rest->data) : rest->len;

    if (!rest->data)
        return false;
    *out = bytes_of(rest->data, len);
    *rest = bar ? bytes_sub(*rest, len + 1, rest->len) : bytes_of(NULL, 0);
    return true;
}

/* Add what is left of a pattern below a node. False: out of memory. */
static bool add_pattern(struct router *r, struct node *n, const char *at,
                        const struct route *route)
{
    const char *end = at + strlen(at);
    struct leaf *leaf, **last;
    quire_bytes segment, one;

    if (next_segment(&at, end, &segment)) {
        while (next_alternative(&segment, &one)) {
            struct node *child = add_child(r, n, one);

            if (!child || !add_pattern(r, child, at, route))
                return false;
        }
        return true;
    }
    leaf = arena_alloc(&r->arena, sizeof *leaf);
    if (!leaf)
        return false;
    for (last = &n->leaves; *last;)
        last = &(*last)->next;
    *leaf = (struct leaf){route, NULL};
    *last = leaf;
    return true;
}

struct router *router_new(const struct route *table)
{
    struct router *r = calloc(1, sizeof *r);

    for (; r && table->name; table++)
        if (!add_pattern(r, &r->root, table->pattern, table)) {
            router_free(r);
            r = NULL;
        }
    return r;
}

void router_free(struct router *r)
{
    if (!r)
        return;
    arena_release(&r->arena);
    free(r);
}

/* ---- matching ----------------------------------------------------------- */

/* Every node a path leads to: one, or a few where a literal and a parameter both
 * fit. */
struct found {
    const struct node *nodes[LEAVES_MAX];
    int n;
};

static void find_nodes(const struct node *n, const char *at, const char *end,
                       struct found *out)
{
    const struct node *child;
    const char *rest = at;
    quire_bytes segment;

    if (!next_segment(&rest, end, &segment)) {
        if (at == end && n->leaves && out->n < LEAVES_MAX)
            out->nodes[out->n++] = n;
        return;
    }
    for (child = n->child; child; child = child->next) {
        char mark = mark_of(child->segment);

        if (mark == '*' && at + 1 < end && out->n < LEAVES_MAX)
            out->nodes[out->n++] = child;
        else if (mark == ':' ? segment.len > 0
                             : bytes_equal(child->segment, segment))
            find_nodes(child, rest, end, out);
    }
}

/* Whole and at least 1, without leading zeros. */
static bool is_id(const char *text)
{
    size_t len = strspn(text, "0123456789");

    return len > 0 && len <= 18 && !text[len] && text[0] != '0';
}

/* Letters, digits, "-" and "_", as agents make their ids of; not a number, but for one
 * with a leading zero. */
static bool is_session_id(const char *text)
{
    static const char allowed[] = "0123456789abcdefghijklmnopqrstuvwxyz"
                                  "ABCDEFGHIJKLMNOPQRSTUVWXYZ-_";
    size_t len = strlen(text), digits = strspn(text, "0123456789");

    return len >= SESSION_PREFIX_MIN && len <= SESSION_ID_MAX &&
           strspn(text, allowed) == len && (digits < len || text[0] == '0');
}

static const struct path_param *param_of(quire_bytes name)
{
    const struct path_param *p = path_params;

    while (p->name && !bytes_is(name, p->name))
        p++;
    return p;
}

/* NULL, or why a parameter is invalid. */
static const char *check_param(const struct path_param *p, const char *text)
{
    if (p->kind == PARAM_NUMBER && !is_id(text))
        return "ids are whole numbers from 1 on";
    if (p->kind == PARAM_SESSION && !is_id(text) && !is_session_id(text))
        return "a session is a whole number from 1 on, or at least 8 "
               "characters of its id: letters, digits, - and _";
    return NULL;
}

/* Decode parameter `n`. An invalid one makes the match `wrong`. */
static void read_param(struct route_match *m, int n, quire_bytes raw,
                       quire_bytes name, struct arena *keep)
{
    struct buf text = BUF_INIT(64 * 1024);
    const struct path_param *p = param_of(name);
    const char *why = http_percent_decode(raw, false, &text);

    m->params[n] = why ? NULL : arena_text(keep, buf_bytes(&text));
    buf_release(&text);
    if (!why)
        why = m->params[n] ? check_param(p, m->params[n]) : "out of memory";
    if (!why)
        return;
    m->wrong = arena_printf(keep, "invalid %s in the address: %s", p->shown,
                            why);
    if (!m->wrong)
        m->wrong = why;
}

static void read_params(struct route_match *m, quire_bytes path,
                        struct arena *keep)
{
    const char *pattern = m->route->pattern, *to = pattern + strlen(pattern);
    const char *at = path.data, *end = at + path.len;
    quire_bytes want, have;
    int n = 0, i;

    m->wrong = NULL;
    m->alias = 0;
    memset(m->params, 0, sizeof m->params);
    while (next_segment(&pattern, to, &want) && next_segment(&at, end, &have)) {
        char mark = mark_of(want);
        quire_bytes one;

        for (i = 0; !mark && next_alternative(&want, &one); i++)
            if (i > 0 && bytes_equal(one, have))
                m->alias = i;
        if (mark == '*') {
            const char *from = have.data;

            have = bytes_of(from, (size_t)(end - from));
        }
        if (mark)
            read_param(m, n++, have, bytes_sub(want, 1, want.len), keep);
    }
}

static const struct route *by_method(const struct node *n, quire_bytes method)
{
    const struct leaf *leaf;

    for (leaf = n->leaves; leaf; leaf = leaf->next)
        if (bytes_is(method, leaf->route->method))
            return leaf->route;
    return NULL;
}

static void add_allowed(struct route_match *m, const struct node *n,
                        struct arena *keep)
{
    const struct leaf *leaf;

    for (leaf = n->leaves; leaf; leaf = leaf->next)
        m->allowed =
            arena_printf(keep, "%s%s%s%s", m->allowed ? m->allowed : "",
                         m->allowed ? ", " : "", leaf->route->method,
                         strcmp(leaf->route->method, "GET") ? "" : ", HEAD");
}

/* No node has the method and valid parameters. */
static void explain(const struct found *found, quire_bytes path,
                    const struct route *nearly, struct arena *keep,
                    struct route_match *out)
{
    int i;

    for (i = 0; i < found->n && !out->allowed; i++) {
        out->route = found->nodes[i]->leaves->route;
        read_params(out, path, keep);
        if (!out->wrong)
            add_allowed(out, found->nodes[i], keep);
    }
    out->route = out->allowed ? NULL : nearly;
    out->wrong = NULL;
    if (out->route)
        read_params(out, path, keep);
}

void router_find(const struct router *r, const struct head *head,
                 struct arena *keep, struct route_match *out)
{
    quire_bytes path = head->path;
    quire_bytes method = bytes_is(head->method, "HEAD") ? bytes_str("GET")
                                                        : head->method;
    const struct route *nearly = NULL;
    struct found found = {.n = 0};
    int i;

    *out = (struct route_match){.route = NULL};
    find_nodes(&r->root, path.data, (const char *)path.data + path.len, &found);
    for (i = 0; i < found.n; i++) {
        out->route = by_method(found.nodes[i], method);
        if (!out->route)
            continue;
        read_params(out, path, keep);
        if (!out->wrong)
            return;
        nearly = nearly ? nearly : out->route;
    }
    explain(&found, path, nearly, keep, out);
}
