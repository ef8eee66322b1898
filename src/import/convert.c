/*
 * convert.c - lines or one document, records, damage; facts and state
 *
 * A line that lies whole in what feed() was given is converted where it is; only
 * the piece at the end of a chunk is copied. A record is first parsed in full by
 * the format, which changes nothing if it is damaged. Then:
 *
 *     {…} {…}       a value and more behind it: two records
 *     {… {…}        the line of a writer that died, and the next one directly
 *                   behind it: reported, and the second is a record
 *     {…            reported
 *
 * Lines of a format of text are passed on as they are.
 */
#include <stdlib.h>

#include "base/utf8.h"
#include "import/entry.h"
#include "import/priv.h"

/* Of a line that ran into another, so many places are tried. */
enum { MAX_TRIES = 16 };

#define DEFAULT_MAX_LINE ((size_t)256 << 20)

/* Buffers of this size are kept from record to record. */
#define KEEP_BYTES ((size_t)1 << 20)

/* Another number for another layout of the state. */
static const char state_magic[8] = "QIMPORT4";

/* ---- records ------------------------------------------------------------ */

static quire_bytes trim(quire_bytes text)
{
    const char *at = text.data, *end = at + text.len;

    while (at < end && (*at == ' ' || *at == '\t' || *at == '\r'))
        at++;
    while (at < end && (end[-1] == ' ' || end[-1] == '\t' || end[-1] == '\r'))
        end--;
    return bytes_of(at, (size_t)(end - at));
}

static void report_bad(struct import_converter *c, quire_bytes text,
                       const struct json_error *bad)
{
    const char *kind = "garbage";

    if (bytes_count(text, '\0') == text.len)
        kind = "nul";
    else if (bad->too_deep)
        kind = "too_deep";
    else if (json_kind(text) != JSON_OBJECT && json_kind(text) != JSON_ABSENT)
        kind = "not_object";
    else if (bad->at >= text.len)
        kind = "torn";
    c->after_damage = true;
    convert_problem(c, bad->at < text.len ? bad->at : text.len, kind, bad->why);
}

static quire_status convert_record(struct import_converter *c, quire_bytes text,
                                   struct json_error *bad, quire_error *err)
{
    quire_status st;

    *bad = (struct json_error){.why = NULL};
    st = c->format->record(c, text, bad, err);
    if (!st && (c->tree.failed || c->failed))
        st = err_memory(err);
    if (!st && !bad->why)
        c->n_records++;
    return st;
}

/* Where in the text a record begins that goes to its end; text.len: nowhere. */
static size_t find_record(const struct import_converter *c, quire_bytes text,
                          size_t from)
{
    const char *const *start;
    size_t best = text.len;
    int tries = 0;

    for (start = c->format->record_starts; *start; start++) {
        size_t len = strlen(*start), at = from;
        const char *hit;

        while (tries < MAX_TRIES && at < best &&
               (hit = memmem((const char *)text.data + at, text.len - at,
                             *start, len))) {
            at = (size_t)(hit - (const char *)text.data);
            tries++;
            if (at < best && json_check(bytes_sub(text, at, text.len), 0, NULL))
                best = at;
            at++;
        }
    }
    return best;
}

/* The part of a line from `from` on. */
static quire_status convert_rest(struct import_converter *c, quire_bytes text,
                                 size_t from, quire_error *err)
{
    uint64_t at = c->at;
    struct json_error bad;
    quire_status st;

    /* With replaced bytes the text is longer than the line: stay within it, so
     * that no other record has this place. */
    c->at += from < c->at_max ? from : c->at_max;
    text = bytes_sub(text, from, text.len);
    st = convert_record(c, text, &bad, err);
    if (!st && bad.why)
        report_bad(c, text, &bad);
    c->at = at;
    return st;
}

/* Is this a whole value with something behind it? */
static bool is_followed(quire_bytes text, const struct json_error *bad)
{
    return json_kind(text) == JSON_OBJECT && !bad->too_deep && bad->at > 1 &&
           bad->at < text.len &&
           json_check(bytes_sub(text, 0, bad->at), 0, NULL);
}

static quire_status convert_damaged(struct import_converter *c,
                                    quire_bytes text,
                                    const struct json_error *bad,
                                    quire_error *err)
{
    struct json_error again;
    size_t next = text.len;
    quire_status st;

    if (is_followed(text, bad)) {
        st = convert_record(c, bytes_sub(text, 0, bad->at), &again, err);
        if (st)
            return st;
        if (json_kind(bytes_sub(text, bad->at, text.len)) == JSON_OBJECT &&
            json_check(bytes_sub(text, bad->at, text.len), 0, NULL))
            return convert_rest(c, text, bad->at, err);
        convert_problem(c, bad->at, "trailing", bad->why);
        next = find_record(c, text, bad->at);
    } else {
        if (text.len)
            next = find_record(c, text, 1);
        report_bad(c, text, bad);
    }
    return next < text.len ? convert_rest(c, text, next, err) : QUIRE_OK;
}

/* Give back what an unusually large record took. */
static void shrink(struct buf *b)
{
    if (b->cap > KEEP_BYTES)
        buf_release(b);
}

/* Well-formed UTF-8: the text itself, or a copy in c->mended. */
static quire_status mend(struct import_converter *c, quire_bytes *text,
                         quire_error *err)
{
    size_t at = utf8_find_bad(*text);

    if (at < text->len) {
        convert_problem(c, at, "utf8", "bytes that are not UTF-8");
        buf_clear(&c->mended);
        utf8_add_mended(&c->mended, *text);
        if (c->mended.failed)
            return err_memory(err);
        *text = buf_bytes(&c->mended);
    }
    return QUIRE_OK;
}

static void shrink_all(struct import_converter *c)
{
    shrink(&c->mended);
    shrink(&c->out);
    shrink(&c->blocks);
    shrink(&c->text);
}

/* The text at c->at: a record, or what is left of one. */
static quire_status convert_text_at(struct import_converter *c,
                                    quire_bytes text, quire_error *err)
{
    struct json_error bad = {.why = NULL};
    quire_status st;

    c->at_max = text.len - 1;
    st = mend(c, &text, err);
    if (!st)
        st = convert_record(c, text, &bad, err);
    if (!st && bad.why)
        st = convert_damaged(c, text, &bad, err);
    shrink_all(c);
    return st;
}

/* A line of text. */
static quire_status convert_plain(struct import_converter *c, quire_bytes text,
                                  quire_error *err)
{
    quire_status st;

    if (text.len && ((const char *)text.data)[text.len - 1] == '\r')
        text.len--;
    c->at = c->offset;
    c->at_max = text.len;
    st = mend(c, &text, err);
    if (!st)
        st = c->format->line(c, text, err);
    if (!st && (c->tree.failed || c->failed))
        st = err_memory(err);
    c->n_records += !st;
    shrink_all(c);
    return st;
}

/* `text` is a line, without its break. */
static quire_status convert_line(struct import_converter *c, quire_bytes text,
                                 quire_error *err)
{
    quire_bytes whole = text;

    if (c->offset == 0 && bytes_starts(text, bytes_of("\xef\xbb\xbf", 3)))
        text = bytes_sub(text, 3, text.len);
    if (c->format->line)
        return convert_plain(c, text, err);
    text = trim(text);
    if (!text.len)
        return QUIRE_OK;
    c->at = c->offset +
            (uint64_t)((const char *)text.data - (const char *)whole.data);
    return convert_text_at(c, text, err);
}

/* ---- a whole document --------------------------------------------------- */

static quire_status report_whole(struct import_converter *c, const char *kind)
{
    c->after_damage = true;
    convert_problem(c, 0, kind,
                    !strcmp(kind, "torn")       ? "the document is not complete"
                    : !strcmp(kind, "too_long") ? "the value is too long"
                                                : "not one JSON document");
    return QUIRE_OK;
}

static quire_status convert_member(struct import_converter *c, quire_bytes key,
                                   quire_bytes text, quire_error *err)
{
    struct json_error bad;
    quire_status st;

    c->at_max = text.len - 1;
    st = mend(c, &text, err);
    if (!st && !json_check(text, 0, &bad))
        report_bad(c, text, &bad);
    else if (!st)
        st = c->format->member(c, key, text, err);
    if (!st && (c->tree.failed || c->failed))
        st = err_memory(err);
    shrink_all(c);
    return st;
}

static quire_status on_value(void *ctx, const struct whole_value *v,
                             quire_error *err)
{
    struct import_converter *c = ctx;

    c->at = v->at;
    c->line = v->line;
    if (v->kind)
        return report_whole(c, v->kind);
    return v->is_element ? convert_text_at(c, v->text, err)
                         : convert_member(c, v->key, v->text, err);
}

/* ---- lines -------------------------------------------------------------- */

static void keep_piece(struct import_converter *c, quire_bytes piece)
{
    c->line_bytes += piece.len;
    if (!c->skipping && c->carry.len + piece.len <= c->options.max_line) {
        add_bytes(&c->carry, piece);
        return;
    }
    if (!c->skipping) {
        c->at = c->offset;
        convert_problem(c, 0, "too_long", "the line is too long");
        c->after_damage = true;
    }
    c->skipping = true;
    buf_release(&c->carry);
}

static void next_line(struct import_converter *c)
{
    c->offset += c->line_bytes + 1;
    c->line++;
    c->line_bytes = 0;
    c->skipping = false;
    shrink(&c->carry);
    buf_clear(&c->carry);
}

/* A piece that ends the line. */
static quire_status end_line(struct import_converter *c, quire_bytes piece,
                             quire_error *err)
{
    quire_status st = QUIRE_OK;

    if (c->line_bytes || piece.len > c->options.max_line) {
        keep_piece(c, piece);
        if (c->carry.failed)
            return err_memory(err);
        if (!c->skipping)
            st = convert_line(c, buf_bytes(&c->carry), err);
    } else {
        c->line_bytes = piece.len;
        st = convert_line(c, piece, err);
    }
    next_line(c);
    return st;
}

quire_status import_converter_feed(struct import_converter *c,
                                   quire_bytes bytes, quire_error *err)
{
    quire_status st = QUIRE_OK;

    if (c->options.whole)
        return whole_feed(&c->whole, bytes, err);
    while (!st && bytes.len) {
        const char *from = bytes.data;
        const char *nl = memchr(from, '\n', bytes.len);
        size_t len = nl ? (size_t)(nl - from) : bytes.len;

        if (nl) {
            st = end_line(c, bytes_of(from, len), err);
            bytes = bytes_sub(bytes, len + 1, bytes.len);
        } else {
            keep_piece(c, bytes);
            bytes.len = 0;
            if (c->carry.failed)
                st = err_memory(err);
        }
    }
    return st;
}

uint64_t import_converter_offset(const struct import_converter *c)
{
    return c->offset;
}

/* Readers take the last entry for the leaf. Where it is another one, a marker
 * below it becomes the last entry. */
static quire_status mark_leaf(struct import_converter *c, quire_error *err)
{
    struct tree_key key = tree_key_of(bytes_str("quire/head"));
    uint32_t tail = tree_tail(&c->tree, c->leaf), node;

    if (tail == TREE_NONE || tail == c->last)
        return QUIRE_OK;
    node = tree_find(&c->tree, &key);
    if (node != TREE_NONE)
        return QUIRE_OK;
    node = tree_add(&c->tree, &key);
    if (node == TREE_NONE)
        return err_memory(err);
    entry_begin(c, "custom", node, tail);
    entry_raw(c, "customType", bytes_str("\"quire/head\""));
    return entry_end(c, node, err);
}

quire_status import_converter_finish(struct import_converter *c,
                                     quire_error *err)
{
    quire_status st = QUIRE_OK;

    c->provisional = true;
    if (c->options.whole)
        st = whole_end(&c->whole, err);
    if (c->carry.len && !c->skipping)
        st = convert_line(c, buf_bytes(&c->carry), err);
    if (!st)
        st = c->format->finish(c, err);
    if (!st)
        st = mark_leaf(c, err);
    if (!st)
        st = hold_close_all(c, err);
    return st;
}

/* ---- a base ------------------------------------------------------------- */

void import_converter_begin_base(struct import_converter *c)
{
    c->source = ++c->n_bases;
    c->inherited = true;
    c->offset = 0;
    c->line = 1;
    c->line_bytes = 0;
    buf_clear(&c->carry);
}

quire_status import_converter_end_base(struct import_converter *c,
                                       quire_error *err)
{
    /* The offset may point into a line: what it cuts off is not part of it. */
    quire_status st = hold_close_all(c, err);

    buf_clear(&c->carry);
    c->source = 0;
    c->inherited = false;
    c->after_damage = false;
    c->skipping = false;
    c->offset = 0;
    c->line = 1;
    c->line_bytes = 0;
    return st;
}

/* ---- facts -------------------------------------------------------------- */

void import_converter_facts(const struct import_converter *c,
                            struct import_facts *out)
{
    const char *text[N_FACTS];
    struct import_converter *own = (struct import_converter *)(uintptr_t)c;
    int f;

    for (f = 0; f < N_FACTS; f++)
        text[f] = c->facts[f].len ? buf_text(&own->facts[f]) : NULL;
    *out = (struct import_facts){
        .session = text[FACT_SESSION],
        .agent = text[FACT_AGENT],
        .cwd = text[FACT_CWD],
        .title = text[FACT_TITLE],
        .prompt = text[FACT_PROMPT],
        .created = text[FACT_CREATED],
        .updated = *c->stamp.text ? c->stamp.text : NULL,
        .model = text[FACT_MODEL],
        .parent = text[FACT_PARENT],
        .version = text[FACT_VERSION],
        .branch = text[FACT_BRANCH],
        .base = text[FACT_BASE],
        .base_offset = c->base_offset,
        .n_records = c->n_records,
        .n_messages = c->n_messages,
    };
    if (c->leaf != TREE_NONE) {
        uint32_t tail = tree_tail(&own->tree, c->leaf);

        if (tail != TREE_NONE) {
            tree_id(&c->tree, tail, own->leaf_id);
            out->leaf = c->leaf_id;
        }
    }
}

void import_converter_counts(const struct import_converter *c,
                             void (*each)(void *ctx, const char *name,
                                          uint64_t n),
                             void *ctx)
{
    size_t i;

    for (i = 0; i < c->counts.n; i++)
        each(ctx, c->counts.list[i].name, c->counts.list[i].n);
}

/* ---- new and free ------------------------------------------------------- */

static void init_buffers(struct import_converter *c)
{
    int f;

    for (f = 0; f < N_FACTS; f++)
        c->facts[f] = (struct buf)BUF_INIT(4097);
    c->facts[FACT_PROMPT].max = 201;
    c->out = c->blocks = c->text = c->mended = (struct buf)BUF_INIT(
        IMPORT_CEILING);
    c->carry = (struct buf)BUF_INIT(c->options.max_line + 1);
}

quire_status import_converter_new(const struct import_format *format,
                                  const struct import_sink *sink,
                                  const struct import_options *options,
                                  struct import_converter **out,
                                  quire_error *err)
{
    struct import_converter *c = calloc(1, sizeof *c);

    *out = NULL;
    if (!c)
        return err_memory(err);
    c->format = format;
    c->sink = *sink;
    if (options)
        c->options = *options;
    if (!c->options.max_line)
        c->options.max_line = DEFAULT_MAX_LINE;
    init_buffers(c);
    c->line = 1;
    c->options.whole = c->options.whole && format->member;
    if (c->options.whole)
        whole_init(&c->whole, format->lists, c->options.max_line, on_value, c);
    c->provisional = c->options.whole;
    c->leaf = c->last = TREE_NONE;
    memcpy(c->tree.seed, c->options.seed, sizeof c->tree.seed);
    c->state = calloc(1, format->state_size);
    if (!c->state || hold_init(&c->hold, NULL)) {
        import_converter_free(c);
        return err_memory(err);
    }
    format->init(c);
    *out = c;
    return QUIRE_OK;
}

void import_converter_free(struct import_converter *c)
{
    int f;

    if (!c)
        return;
    if (c->state && c->format->release)
        c->format->release(c);
    free(c->state);
    tree_release(&c->tree);
    hold_release(&c->hold);
    counts_release(&c->counts);
    for (f = 0; f < N_FACTS; f++)
        buf_release(&c->facts[f]);
    whole_release(&c->whole);
    buf_release(&c->carry);
    buf_release(&c->out);
    buf_release(&c->blocks);
    buf_release(&c->text);
    buf_release(&c->mended);
    free(c);
}

/* ---- state -------------------------------------------------------------- */

/* Numbers that save and restore as they are. */
struct fixed {
    char magic[8];
    uint64_t offset, line, base_offset;
    uint32_t version, leaf, last, n_bases, after_damage;
    struct stamp stamp;
};

quire_status import_converter_save(const struct import_converter *c,
                                   struct buf *out, quire_error *err)
{
    struct fixed f;
    int i;

    if (c->options.whole)
        return QUIRE_OK;
    memset(&f, 0, sizeof f);
    memcpy(f.magic, state_magic, sizeof f.magic);
    f.version = c->format->version;
    f.offset = c->offset;
    f.line = c->line;
    f.base_offset = c->base_offset;
    f.leaf = c->leaf;
    f.last = c->last;
    f.n_bases = c->n_bases;
    f.after_damage = c->after_damage;
    f.stamp = c->stamp;
    state_put(out, &f, sizeof f);
    state_put_bytes(out, bytes_str(c->format->name));
    for (i = 0; i < N_FACTS; i++)
        state_put_bytes(out, buf_bytes(&c->facts[i]));
    tree_save(&c->tree, out);
    hold_save(&c->hold, out);
    c->format->save(c, out);
    state_put(out, state_magic, sizeof state_magic);
    return buf_status(out, "state of a converter", err);
}

static bool is_node(const struct import_converter *c, uint32_t node)
{
    return node == TREE_NONE || node < c->tree.n;
}

static bool restore(struct import_converter *c, struct state_reader *r)
{
    char end[sizeof state_magic];
    struct fixed f;
    int i;

    state_get(r, &f, sizeof f);
    if (r->bad || memcmp(f.magic, state_magic, sizeof f.magic) != 0 ||
        f.version != c->format->version ||
        !memchr(f.stamp.text, 0, sizeof f.stamp.text) ||
        !bytes_is(state_get_bytes(r), c->format->name))
        return false;
    c->offset = f.offset;
    c->line = f.line;
    c->base_offset = f.base_offset;
    c->leaf = f.leaf;
    c->last = f.last;
    c->n_bases = f.n_bases;
    c->after_damage = f.after_damage;
    c->stamp = f.stamp;
    for (i = 0; i < N_FACTS; i++)
        add_bytes(&c->facts[i], state_get_bytes(r));
    if (!tree_restore(&c->tree, r) || !hold_restore(&c->hold, c->tree.n, r) ||
        !is_node(c, c->leaf) || !is_node(c, c->last))
        return false;
    c->format->restore(c, r);
    state_get(r, end, sizeof end);
    return !r->bad && r->at == r->end && !memcmp(end, state_magic, sizeof end);
}

quire_status import_converter_restore(const struct import_format *format,
                                      const struct import_sink *sink,
                                      const struct import_options *options,
                                      quire_bytes state,
                                      struct import_converter **out,
                                      quire_error *err)
{
    struct state_reader r = {state.data, (const char *)state.data + state.len,
                             false};
    quire_status st = import_converter_new(format, sink, options, out, err);

    if (st || restore(*out, &r))
        return st;
    import_converter_free(*out);
    *out = NULL;
    return err_fail(err, QUIRE_DAMAGED, "convert the file from its beginning",
                    "the state of the %s import is of another version",
                    format->name);
}
