/*
 * regex_literals.c - literals that every match of a pattern contains
 *
 * A branch of a pattern is read item by item. Literal characters side by side
 * form a run; anything that may match different texts ends the run, which then
 * is one condition of the branch:
 *
 *     item                       run         condition
 *     literal                    continues
 *     ^ $ \b (?=...) (?i)        continues   no width
 *     . \d [a-z] \1              ends
 *     (...) of literals only     continues
 *     (...)                      ends        those of the group
 *     item with ? * {0,n}        ends        none
 *     item with + {n} {n,m}      ends        those of the item, once
 *
 * Invariants, on which the result rests:
 *
 *   1. Leaving out an item is safe if the run ends there: fewer conditions.
 *   2. The extent of an item is read exactly as PCRE2 does. Where that is in
 *      doubt, nothing is required of the whole pattern (give_up).
 *   3. A quantifier belongs to the item before it. A quantifier elsewhere makes
 *      the extent of an item doubtful.
 */
#include "search/regex_literals.h"

#include <string.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "base/err.h"
#include "base/utf8.h"

#define MAX_DEPTH 64
#define MAX_BYTES ((size_t)16 * 1024)

struct reader {
    const char *at, *end;
    struct arena *keep;
    bool quoted;   /* between \Q and \E */
    bool given_up; /* nothing is required */
    bool failed;   /* out of memory */
    int depth;
};

/* What a match of some part of the pattern contains. */
struct need {
    bool literal;       /* it is `text`, but for case */
    quire_bytes text;   /* the arena's */
    struct query *tree; /* conditions, if it is not; may be NULL */
};

enum item_kind { ITEM_LITERAL, ITEM_EMPTY, ITEM_OTHER, ITEM_GROUP };

struct item {
    enum item_kind kind;
    char bytes[4]; /* ITEM_LITERAL: a character */
    size_t len;
    struct need group; /* ITEM_GROUP */
};

static struct need read_alternatives(struct reader *r);

static void give_up(struct reader *r)
{
    r->given_up = true;
    r->at = r->end;
}

static bool starts(const struct reader *r, const char *text)
{
    return bytes_starts(bytes_of(r->at, (size_t)(r->end - r->at)),
                        bytes_str(text));
}

static bool take(struct reader *r, const char *text)
{
    if (!starts(r, text))
        return false;
    r->at += strlen(text);
    return true;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Move behind the next `c`. */
static void skip_past(struct reader *r, char c)
{
    const char *at = memchr(r->at, c, (size_t)(r->end - r->at));

    if (at)
        r->at = at + 1;
    else
        give_up(r);
}

static void skip_digits(struct reader *r)
{
    while (r->at < r->end && is_digit(*r->at))
        r->at++;
}

/* ---- quantifiers -------------------------------------------------------- */

/* The length of {n}, {n,} or {n,m} at the reader, else 0. *optional: n is 0.
 * Versions of PCRE2 differ in {,m} and in blanks: a quantifier, or text. Either
 * way it is safe to take the item as optional and this as a quantifier. */
static size_t repeat_length(const struct reader *r, bool *optional)
{
    const char *at = r->at;
    bool digits = false;

    if (at == r->end || *at != '{')
        return 0;
    *optional = true;
    for (at++; at < r->end && *at != '}'; at++) {
        if (!is_digit(*at) && *at != ',' && *at != ' ' && *at != '\t')
            return 0;
        digits |= is_digit(*at);
    }
    if (at == r->end || !digits)
        return 0;
    for (at = r->at + 1; is_digit(*at); at++)
        *optional &= *at == '0';
    while (*at != '}') {
        if (*at == ' ' || *at == '\t')
            *optional = true;
        at++;
    }
    return (size_t)(at - r->at) + 1;
}

/* \Q and \E between an item and its quantifier are not items. */
static void skip_quoting(struct reader *r)
{
    for (;;) {
        if (take(r, "\\E"))
            r->quoted = false;
        else if (r->quoted || !take(r, "\\Q"))
            return;
        else
            r->quoted = true;
    }
}

enum times { ONCE, REPEATED, OPTIONAL };

static enum times read_quantifier(struct reader *r)
{
    bool optional = false;
    size_t len;

    skip_quoting(r);
    if (r->at == r->end || r->quoted)
        return ONCE;
    len = repeat_length(r, &optional);
    if (len == 0) {
        if (!strchr("?*+", *r->at) || !*r->at)
            return ONCE;
        len = 1;
        optional = *r->at != '+';
    }
    r->at += len;
    skip_quoting(r);
    if (r->at < r->end && !r->quoted && (*r->at == '?' || *r->at == '+'))
        r->at++; /* lazy, possessive */
    return optional ? OPTIONAL : REPEATED;
}

/* ---- items -------------------------------------------------------------- */

static struct item literal_item(uint32_t cp)
{
    struct item i = {.kind = ITEM_LITERAL};

    if (cp == 0) /* no text of a query has it */
        return (struct item){.kind = ITEM_OTHER};
    i.len = utf8_encode(cp, i.bytes);
    return i;
}

static uint32_t read_char(struct reader *r)
{
    uint32_t cp;

    r->at += utf8_decode(bytes_of(r->at, (size_t)(r->end - r->at)), &cp, NULL);
    return cp;
}

/* \x41 or \x{41}, behind the x. */
static struct item read_hex(struct reader *r)
{
    uint32_t cp = 0;
    bool braces = take(r, "{");
    int n;

    for (n = 0; n < (braces ? 8 : 2) && r->at < r->end; n++, r->at++) {
        int digit = hex_digit(*r->at);

        if (digit < 0)
            break;
        cp = cp << 4 | (uint32_t)digit;
    }
    if ((braces && (n == 0 || !take(r, "}"))) || cp > 0x10ffff ||
        (cp >= 0xd800 && cp < 0xe000))
        give_up(r);
    return literal_item(cp);
}

/* The argument of \g and \k: a reference, by name or number. */
static void skip_reference(struct reader *r)
{
    if (take(r, "{"))
        skip_past(r, '}');
    else if (take(r, "<"))
        skip_past(r, '>');
    else if (take(r, "'"))
        skip_past(r, '\'');
    else {
        if (!take(r, "+"))
            take(r, "-");
        skip_digits(r);
    }
}

/* An escape of a letter, which is taken. */
static struct item read_letter_escape(struct reader *r, char c)
{
    static const char codes[] = "n\nt\tr\rf\fa\ae\033";
    const char *code = strchr(codes, c);

    if (code && (code - codes) % 2 == 0)
        return literal_item((unsigned char)code[1]);
    if (strchr("bBAZzGK", c))
        return (struct item){.kind = ITEM_EMPTY};
    switch (c) {
    case 'x': return read_hex(r);
    case 'g':
    case 'k': skip_reference(r); break;
    case 'p':
    case 'P':
    case 'o':
        if (take(r, "{"))
            skip_past(r, '}');
        else if (c != 'o' && r->at < r->end)
            r->at++;
        else
            give_up(r);
        break;
    case 'c':
        if (r->at < r->end)
            read_char(r);
        break;
    case 'N':
        if (starts(r, "{"))
            give_up(r); /* a name, or a quantifier */
        break;
    default:
        if (!strchr("dDwWsShHvVRX", c))
            give_up(r);
    }
    return (struct item){.kind = ITEM_OTHER};
}

/* Behind the backslash. */
static struct item read_escape(struct reader *r)
{
    char c;

    if (r->at == r->end) {
        give_up(r);
        return (struct item){.kind = ITEM_OTHER};
    }
    c = *r->at++;
    if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'))
        return read_letter_escape(r, c);
    if (is_digit(c)) {
        /* A reference or an octal number, and perhaps digits behind it, which
         * are left out. */
        skip_digits(r);
        return (struct item){.kind = ITEM_OTHER};
    }
    r->at--;
    return literal_item(read_char(r));
}

/* ---- classes ------------------------------------------------------------ */

/* The characters of a class, if there is but one, in one case or both. */
struct class
{
    uint32_t cp;
    size_t n;
    bool other;
};

static uint32_t fold(uint32_t cp)
{
    return cp >= 'A' && cp <= 'Z' ? cp - 'A' + 'a' : cp;
}

static void add_to_class(struct class *c, uint32_t cp)
{
    c->other |= c->n > 0 && fold(cp) != fold(c->cp);
    c->cp = cp;
    c->n++;
}

/* An element behind a backslash. */
static void read_class_escape(struct reader *r, struct class *c)
{
    struct item i;
    uint32_t cp;

    if (r->at < r->end && strchr("QENogk", *r->at)) {
        give_up(r);
        return;
    }
    i = read_escape(r);
    if (i.kind == ITEM_LITERAL) {
        utf8_decode(bytes_of(i.bytes, i.len), &cp, NULL);
        add_to_class(c, cp);
    } else
        c->other = true;
}

/* [:alpha:] */
static bool take_posix_class(struct reader *r)
{
    const char *at = r->at + 2;

    if (!starts(r, "[:"))
        return false;
    while (at < r->end && ((*at >= 'a' && *at <= 'z') || *at == '^'))
        at++;
    if (r->end - at < 2 || at[0] != ':' || at[1] != ']')
        return false;
    r->at = at + 2;
    return true;
}

static void read_element(struct reader *r, struct class *c)
{
    if (take(r, "\\")) {
        read_class_escape(r, c);
    } else if (take_posix_class(r)) {
        c->other = true;
    } else if (starts(r, "[:") || starts(r, "[.") || starts(r, "[=")) {
        give_up(r);
    } else {
        c->other |= *r->at == '-'; /* a range, or not */
        add_to_class(c, read_char(r));
    }
}

/* Behind the bracket. */
static struct item read_class(struct reader *r)
{
    struct class c = {.other = take(r, "^")};

    do { /* a bracket that comes first is an element */
        if (r->at == r->end)
            give_up(r);
        else
            read_element(r, &c);
    } while (!r->given_up && !take(r, "]"));
    if (c.other || c.n == 0)
        return (struct item){.kind = ITEM_OTHER};
    return literal_item(c.cp);
}

/* ---- groups ------------------------------------------------------------- */

/* (?i) and (?i: behind the question mark. Returns whether a group follows. */
static bool read_flags(struct reader *r)
{
    while (r->at < r->end && *r->at && strchr("imnsJU-^", *r->at))
        r->at++;
    if (take(r, ":"))
        return true;
    if (!take(r, ")"))
        give_up(r); /* extended mode, a condition, a call, a comment... */
    return false;
}

enum group_kind { GROUP_NONE, GROUP_USED, GROUP_ASSERTION };

/* What begins behind a parenthesis. GROUP_NONE: it is read already. */
static enum group_kind read_group_start(struct reader *r)
{
    /* A verb, an option of the whole pattern, or an assertion by name. */
    if (starts(r, "*") || starts(r, "?<*"))
        give_up(r);
    if (!take(r, "?"))
        return r->given_up ? GROUP_NONE : GROUP_USED;
    if (take(r, "=") || take(r, "!") || take(r, "<=") || take(r, "<!"))
        return GROUP_ASSERTION;
    if (take(r, "P<") || take(r, "<"))
        skip_past(r, '>');
    else if (take(r, "'"))
        skip_past(r, '\'');
    else if (!take(r, "|") && !take(r, ">") && !read_flags(r))
        return GROUP_NONE;
    return r->given_up ? GROUP_NONE : GROUP_USED;
}

/* Behind the parenthesis. */
static struct item read_group(struct reader *r)
{
    struct item i = {.kind = ITEM_EMPTY};
    enum group_kind kind = read_group_start(r);

    if (kind == GROUP_NONE)
        return i;
    if (++r->depth > MAX_DEPTH)
        give_up(r);
    else
        i.group = read_alternatives(r);
    r->depth--;
    if (!take(r, ")"))
        give_up(r);
    if (kind == GROUP_USED)
        i.kind = ITEM_GROUP;
    return i;
}

static struct item read_item(struct reader *r)
{
    bool optional;

    if (!r->quoted) {
        if (take(r, "\\"))
            return read_escape(r);
        if (take(r, "["))
            return read_class(r);
        if (take(r, "("))
            return read_group(r);
        if (take(r, "."))
            return (struct item){.kind = ITEM_OTHER};
        if (take(r, "^") || take(r, "$"))
            return (struct item){.kind = ITEM_EMPTY};
        if (strchr("?*+", *r->at) || repeat_length(r, &optional)) {
            give_up(r); /* see invariant 3 */
            return (struct item){.kind = ITEM_OTHER};
        }
    }
    return literal_item(read_char(r));
}

/* ---- conditions --------------------------------------------------------- */

static bool is_cjk(uint32_t cp)
{
    return (cp >= 0x1100 && cp < 0x1200) || (cp >= 0x2e80 && cp < 0xa4d0) ||
           (cp >= 0xac00 && cp < 0xd7b0) || (cp >= 0xf900 && cp < 0xfb00) ||
           (cp >= 0x20000 && cp < 0x40000);
}

/* Whether an index can find the literal. */
static bool is_long_enough(quire_bytes text)
{
    size_t at = 0, n = 0, n_cjk = 0;
    uint32_t cp;

    for (; at < text.len; n++) {
        at += utf8_decode(bytes_sub(text, at, text.len), &cp, NULL);
        n_cjk += is_cjk(cp);
    }
    return n >= 3 || (n == 2 && n_cjk == 2);
}

static void add_condition(struct query *to, struct query *q)
{
    struct query *one, *next;

    if (!q || !to)
        return;
    if (q->op != to->op) {
        query_add(to, q);
        return;
    }
    for (one = q->first; one; one = next) {
        next = one->next;
        one->next = NULL;
        query_add(to, one);
    }
}

/* The condition that a literal is; NULL if it is too short. */
static struct query *new_literal(struct reader *r, quire_bytes text)
{
    struct query *q;

    if (!is_long_enough(text))
        return NULL;
    q = query_new(QUERY_SUBSTRING, r->keep);
    if (q)
        q->text = arena_dup(r->keep, text);
    r->failed |= !q || !q->text.data;
    return q;
}

/* A branch while it is read. */
struct branch {
    struct query *all; /* conditions */
    struct buf run;
    bool broken; /* not all of it is in the run */
};

static void end_run(struct reader *r, struct branch *b)
{
    r->failed |= b->run.failed;
    add_condition(b->all, new_literal(r, buf_bytes(&b->run)));
    buf_clear(&b->run);
    b->broken = true;
}

/* What the item contains, `times` over. */
static void add_item(struct reader *r, struct branch *b, const struct item *i,
                     enum times times)
{
    bool is_text = i->kind == ITEM_LITERAL ||
                   (i->kind == ITEM_GROUP && i->group.literal);

    if (is_text && times != OPTIONAL) {
        if (i->kind == ITEM_LITERAL)
            buf_add(&b->run, i->bytes, i->len);
        else
            buf_add(&b->run, i->group.text.data, i->group.text.len);
        if (times == ONCE)
            return;
    }
    end_run(r, b);
    if (i->kind == ITEM_GROUP && times != OPTIONAL)
        add_condition(b->all, i->group.tree);
}

static struct need finish_branch(struct reader *r, struct branch *b)
{
    struct need n = {.literal = !b->broken};

    if (b->run.failed)
        r->failed = true;
    else if (n.literal)
        n.text = arena_dup(r->keep, buf_bytes(&b->run));
    if (b->broken) {
        end_run(r, b);
        n.tree = query_unwrap(b->all);
    }
    r->failed |= n.literal && !n.text.data;
    buf_release(&b->run);
    return n;
}

static struct need read_branch(struct reader *r)
{
    struct branch b = {.all = query_new(QUERY_AND, r->keep),
                       .run = BUF_INIT(MAX_BYTES)};

    r->failed |= !b.all;
    for (skip_quoting(r); r->at < r->end && !r->failed; skip_quoting(r)) {
        struct item i;

        if (!r->quoted && (*r->at == '|' || *r->at == ')'))
            break;
        i = read_item(r);
        if (!r->given_up && i.kind != ITEM_EMPTY)
            add_item(r, &b, &i, read_quantifier(r));
    }
    return finish_branch(r, &b);
}

/* The branches up to a parenthesis or the end. One that requires nothing makes
 * the others optional. */
static struct need read_alternatives(struct reader *r)
{
    struct need n = read_branch(r);
    struct query *any = NULL;
    bool free = false;

    if (!starts(r, "|") || r->quoted)
        return n;
    any = query_new(QUERY_OR, r->keep);
    r->failed |= !any;
    for (;;) {
        struct query *q = n.literal ? new_literal(r, n.text) : n.tree;

        free |= !q;
        add_condition(any, q);
        if (r->failed || !take(r, "|"))
            break;
        n = read_branch(r);
    }
    return (struct need){.tree = free ? NULL : any};
}

/* ---- size --------------------------------------------------------------- */

static size_t count_leaves(const struct query *q)
{
    size_t n = q->op == QUERY_SUBSTRING;

    for (q = q->first; q; q = q->next)
        n += count_leaves(q);
    return n;
}

/* The longest literal that the tree requires by itself; else the tree. */
static struct query *longest(struct query *q)
{
    struct query *best = NULL, *one;

    if (q->op != QUERY_AND)
        return q;
    for (one = q->first; one; one = one->next) {
        if (one->op == QUERY_SUBSTRING &&
            (!best || one->text.len > best->text.len))
            best = one;
    }
    return best ? best : q;
}

/* Fewer conditions, with at most `max` leaves. Operands of AND are left out;
 * those of OR are reduced to a literal each. NULL: there are still too many. */
static struct query *reduce(struct query *q, size_t max)
{
    struct query *from = q->first, *next;
    size_t n = count_leaves(q), used = 0;

    if (n <= max)
        return q;
    q->first = q->last = NULL;
    for (; from; from = next) {
        struct query *one = q->op == QUERY_OR ? longest(from) : from;

        next = from->next;
        one->next = NULL;
        one = reduce(one, max - used);
        if (one) {
            used += count_leaves(one);
            query_add(q, one);
        } else if (q->op == QUERY_OR)
            return NULL;
    }
    return query_unwrap(q);
}

quire_status regex_literals(quire_bytes pattern, struct arena *keep,
                            struct query **out, quire_error *err)
{
    const char *text = pattern.len ? pattern.data : "";
    struct reader r = {.at = text, .end = text + pattern.len, .keep = keep};
    struct need n;
    struct query *tree;

    *out = NULL;
    if (pattern.len == 0 || pattern.len > MAX_BYTES || !utf8_check(pattern) ||
        memchr(text, '\0', pattern.len))
        return QUIRE_OK;
    n = read_alternatives(&r);
    tree = n.literal && !r.failed ? new_literal(&r, n.text) : n.tree;
    if (r.failed)
        return err_memory(err);
    if (!r.given_up && r.at == r.end && tree)
        *out = reduce(tree, REGEX_LITERALS_MAX);
    return QUIRE_OK;
}
