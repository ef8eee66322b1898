/*
 * text.c - something to store
 *
 * What compresses like real text has the statistics of real text: few words
 * that are everywhere, many that are rare (by Zipf's law the n-th most
 * frequent one a share of 1/n), words of a file that come again in the same
 * file, indentation, and numbers that are all different. Each text draws its
 * own vocabulary from its seed, so two texts share a language, not content.
 */
#include <string.h>

#include "bench.h"

uint64_t text_rnd(uint64_t *state, uint64_t below)
{
    uint64_t x = *state += 0x9e3779b97f4a7c15u;

    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return (x ^ x >> 31) % below;
}

/* A text being written. */
struct pen {
    struct buf *out;
    uint64_t state; /* of the random numbers               */
    uint64_t own;   /* which vocabulary                    */
    int depth;      /* of the indentation                  */
    unsigned line;  /* in the file that is talked about    */
};

static uint64_t rnd(struct pen *p, uint64_t below)
{
    return text_rnd(&p->state, below);
}

static void add(struct pen *p, const char *text)
{
    buf_add_str(p->out, text);
}

/* Faster than printf, and most of what is written are names and numbers. */
static void add_number(struct pen *p, uint64_t v)
{
    char digits[20], *at = digits + sizeof digits;

    do
        *--at = (char)('0' + v % 10);
    while (v /= 10);
    buf_add(p->out, at, (size_t)(digits + sizeof digits - at));
}

/* A rank below 2^bits, the n-th as often as 1/n: as many draws fall between
 * 2^k and 2^(k+1) for every k. */
static unsigned zipf(struct pen *p, unsigned bits)
{
    unsigned k = (unsigned)rnd(p, bits);

    return (1u << k) + (unsigned)rnd(p, 1u << k);
}

/* ---- words -------------------------------------------------------------- */

static void add_word(struct pen *p, uint64_t number)
{
    static const char syllables[64][5] = {
        "buf",  "node", "in",   "pos", "er",   "tab",  "le",  "re",
        "con",  "fig",  "read", "er",  "to",   "ken",  "map", "key",
        "val",  "ue",   "size", "off", "set",  "list", "ref", "sto",
        "re",   "ses",  "sion", "en",  "try",  "pa",   "th",  "file",
        "name", "str",  "ing",  "err", "or",   "sta",  "te",  "lo",
        "ck",   "que",  "ry",   "in",  "dex",  "row",  "col", "umn",
        "page", "cur",  "sor",  "da",  "time", "out",  "put", "ar",
        "gs",   "head", "bo",   "dy",  "ha",   "sh",   "ob",  "ject",
    };
    uint64_t h = (number + 1) * 0x9e3779b97f4a7c15u;
    int n = 2 + (int)(h >> 60) % 3;

    h ^= h >> 29;
    while (n-- > 0) {
        add(p, syllables[h & 63]);
        h >>= 6;
        if (n == 1 && (h & 128))
            buf_add_char(p->out, '_');
    }
}

/* A name: mostly one of this text's own, of which there are a few hundred. */
static void add_name(struct pen *p)
{
    if (rnd(p, 10) < 7)
        add_word(p, p->own + zipf(p, 8));
    else
        add_word(p, zipf(p, 12));
}

static void add_prose(struct pen *p, int n_words)
{
    static const char *const common[32] = {
        "the",  "a",     "of",   "to",   "is",    "and",  "not",   "it",
        "in",   "for",   "that", "this", "with",  "are",  "be",    "when",
        "file", "only",  "from", "as",   "there", "has",  "what",  "if",
        "one",  "value", "must", "by",   "than",  "once", "every", "no",
    };
    int i;

    for (i = 0; i < n_words; i++) {
        if (i)
            buf_add_char(p->out, ' ');
        if (rnd(p, 3))
            add(p, common[zipf(p, 5) - 1]);
        else
            add_name(p);
    }
}

static void add_path(struct pen *p)
{
    static const char *const roots[4] = {"src/", "tests/", "lib/", "include/"};
    static const char *const ends[4] = {".c", ".h", ".ts", ".rs"};

    add(p, roots[zipf(p, 2) - 1]);
    add_word(p, zipf(p, 5));
    buf_add_char(p->out, '/');
    add_word(p, p->own + zipf(p, 6));
    add(p, ends[zipf(p, 2) - 1]);
}

/* ---- source code -------------------------------------------------------- */

/* What is done with a name is mostly what was done with it before: three
 * times in four the choices that follow are drawn from the name's own seed.
 * Gives the text's, for going back to it. */
static uint64_t begin_habit(struct pen *p, uint64_t name)
{
    bool usual = rnd(p, 4) > 0;
    uint64_t was = p->state;

    if (usual)
        p->state = name;
    return was;
}

static void add_expression(struct pen *p)
{
    uint64_t name = p->own + zipf(p, 8), was;

    add_word(p, name);
    was = begin_habit(p, name);
    switch (rnd(p, 6)) {
    case 0:
        add(p, "->");
        add_name(p);
        break;
    case 1:
        add(p, " + ");
        add_number(p, zipf(p, 10));
        break;
    case 2:
        buf_add_char(p->out, '[');
        add_name(p);
        buf_add_char(p->out, ']');
        break;
    default: break;
    }
    p->state = was;
}

static void add_call(struct pen *p)
{
    uint64_t name = p->own + zipf(p, 8), was, n;

    add_word(p, name);
    buf_add_char(p->out, '(');
    was = begin_habit(p, name);
    for (n = rnd(p, 4); n > 0; n--) {
        add_expression(p);
        if (n > 1)
            add(p, ", ");
    }
    p->state = was;
    buf_add_char(p->out, ')');
}

static void add_type(struct pen *p)
{
    static const char *const types[8] = {
        "int ",      "size_t ", "char *", "const char *",
        "unsigned ", "bool ",   "void *", "uint64_t ",
    };

    if (rnd(p, 3) == 0) {
        add(p, "struct ");
        add_word(p, p->own + zipf(p, 5));
        add(p, " *");
    } else {
        add(p, types[zipf(p, 3) - 1]);
    }
}

static void add_indent(struct pen *p)
{
    int i;

    for (i = 0; i < p->depth; i++)
        add(p, "    ");
}

static void add_function(struct pen *p)
{
    add(p, "}\n\n/* ");
    add_prose(p, 6 + (int)rnd(p, 12));
    add(p, ". */\nstatic ");
    add_type(p);
    add_name(p);
    buf_add_char(p->out, '(');
    add_type(p);
    add_name(p);
    add(p, ", ");
    add_type(p);
    add_name(p);
    add(p, ")\n{\n");
    p->depth = 1;
}

static void add_statement(struct pen *p)
{
    switch (rnd(p, 12)) {
    case 0:
        add_indent(p);
        add(p, "if (");
        add_expression(p);
        add(p, rnd(p, 2) ? " == " : " < ");
        add_expression(p);
        add(p, ") {\n");
        p->depth++;
        break;
    case 1:
        add_indent(p);
        add(p, "for (i = 0; i < ");
        add_expression(p);
        add(p, "; i++) {\n");
        p->depth++;
        break;
    case 2:
        add_indent(p);
        add(p, "return ");
        add_expression(p);
        add(p, ";\n");
        break;
    case 3:
        add_indent(p);
        add(p, "/* ");
        add_prose(p, 4 + (int)rnd(p, 9));
        add(p, " */\n");
        break;
    case 4:
    case 5:
        add_indent(p);
        add_type(p);
        add_name(p);
        add(p, " = ");
        add_call(p);
        add(p, ";\n");
        break;
    case 6:
        add_indent(p);
        add(p, "fail(err, \"cannot ");
        add_prose(p, 3 + (int)rnd(p, 4));
        add(p, " (line %d)\", ");
        add_number(p, 100 + rnd(p, 9900));
        add(p, ");\n");
        break;
    case 7:
    case 8:
        add_indent(p);
        add_call(p);
        add(p, ";\n");
        break;
    default:
        add_indent(p);
        add_expression(p);
        add(p, " = ");
        add_expression(p);
        add(p, ";\n");
        break;
    }
}

static void add_code(struct pen *p)
{
    add_statement(p);
    if (p->depth > 5 || (p->depth > 1 && rnd(p, 4) == 0)) {
        p->depth--;
        add_indent(p);
        add(p, "}\n");
    }
    if (p->depth <= 1 && rnd(p, 8) == 0)
        add_function(p);
}

/* ---- what tools print --------------------------------------------------- */

static void add_listing(struct pen *p)
{
    static const char *const months[4] = {"Jan", "Feb", "Mar", "Nov"};

    buf_addf(p->out, "-rw-r--r-- 1 user user %7u %s %2u %02u:%02u ",
             (unsigned)(zipf(p, 17) + rnd(p, 900)), months[rnd(p, 4)],
             1 + (unsigned)rnd(p, 28), (unsigned)rnd(p, 24),
             (unsigned)rnd(p, 60));
    add_path(p);
    add(p, "\n");
}

static void add_warning(struct pen *p)
{
    unsigned at = 10 + (unsigned)rnd(p, 2000);

    add_path(p);
    buf_addf(p->out, ":%u:%u: warning: unused variable '", at,
             5 + (unsigned)rnd(p, 60));
    add_name(p);
    buf_addf(p->out, "' [-Wunused-variable]\n %4u |     ", at);
    add_type(p);
    add_name(p);
    add(p, " = ");
    add_call(p);
    add(p, ";\n      |         ^~~~\n");
}

static void add_record(struct pen *p)
{
    buf_addf(p->out, "{\"id\":\"%08x\",\"name\":\"",
             (unsigned)rnd(p, 1u << 31));
    add_name(p);
    add(p, "\",\"path\":\"");
    add_path(p);
    buf_addf(p->out, "\",\"line\":%u,\"score\":0.%u,\"ok\":%s,\"text\":\"",
             (unsigned)rnd(p, 3000), (unsigned)rnd(p, 10000),
             rnd(p, 5) ? "true" : "false");
    add_prose(p, 3 + (int)rnd(p, 12));
    add(p, "\"},\n");
}

static void add_numbered(struct pen *p)
{
    buf_addf(p->out, "%6u\t", ++p->line);
    add_statement(p);
    if (p->depth > 4)
        p->depth = 1;
}

static void add_found(struct pen *p)
{
    add_path(p);
    buf_add_char(p->out, ':');
    add_number(p, 1 + rnd(p, 3000));
    add(p, ":    ");
    add_call(p);
    add(p, ";\n");
}

static void add_tested(struct pen *p)
{
    buf_addf(p->out, "ok %u - ", ++p->line);
    add_prose(p, 4 + (int)rnd(p, 6));
    buf_addf(p->out, " (%u ms)\n", (unsigned)zipf(p, 9));
}

/* ---- the texts ---------------------------------------------------------- */

static struct pen pen_of(struct buf *out, uint64_t seed)
{
    struct pen p = {.out = out, .state = seed * 0xd1342543de82ef95u};

    buf_clear(out);
    p.depth = 1;
    p.own = rnd(&p, 1u << 30);
    return p;
}

static void cut(struct buf *out, size_t len)
{
    if (out->failed || out->len < len)
        bench_fail("no memory for a text");
    out->len = len;
}

void text_code(struct buf *out, uint64_t seed, size_t len)
{
    struct pen p = pen_of(out, seed);

    while (out->len < len && !out->failed)
        add_code(&p);
    cut(out, len);
}

void text_output(struct buf *out, uint64_t seed, size_t len)
{
    static void (*const kinds[])(struct pen *) = {
        add_listing,  add_warning, add_record, add_code,
        add_numbered, add_found,   add_tested,
    };
    struct pen p = pen_of(out, seed);
    void (*kind)(struct pen *) = kinds[rnd(&p, sizeof kinds / sizeof *kinds)];

    /* The shortest are told apart by their number alone. */
    if (len <= 64) {
        add_number(&p, seed);
        add(&p, " bytes written to ");
        add_path(&p);
        add(&p, "; done, no errors\n");
    }
    while (out->len < len && !out->failed)
        kind(&p);
    cut(out, len);
}

void text_noise(struct buf *out, uint64_t seed, size_t len)
{
    uint64_t state = seed;

    buf_clear(out);
    while (out->len < len && !out->failed) {
        uint64_t x = text_rnd(&state, UINT64_MAX);

        buf_add(out, &x, sizeof x);
    }
    cut(out, len);
}

size_t text_output_size(int permille)
{
    static const struct {
        int at;
        size_t size;
    } known[] = {
        {0, 6},      {120, 30},   {240, 64},    {370, 250},   {500, 748},
        {700, 2400}, {900, 8900}, {950, 16000}, {990, 36700}, {1000, 135000},
    };
    int i = 0;

    while (permille > known[i + 1].at)
        i++;
    return known[i].size + (known[i + 1].size - known[i].size) *
                               (size_t)(permille - known[i].at) /
                               (size_t)(known[i + 1].at - known[i].at);
}
