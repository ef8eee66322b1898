/*
 * aider.c - the chat history of Aider, a file of text
 *
 *     # aider chat started at 2026-03-01 10:00:00     a conversation begins: a root
 *     #### text                                       a message of the user
 *     > text                                          what Aider said: a custom
 *                                                     entry; the model's name too
 *     other lines                                     an answer
 *
 * Lines of one kind that follow each other are a section, and one entry; blank lines
 * end those of the user and Aider's. In a fenced block of an answer (```) all lines
 * are of the answer. There are no ids and no usage. The time of a conversation is
 * that of its beginning, taken as UTC.
 */
#include "import/blocks.h"
#include "import/linear.h"

/* A longer section becomes several entries. */
#define SECTION_MAX ((size_t)16 << 20)

enum section { SECTION_NONE, SECTION_USER, SECTION_OUTPUT, SECTION_ANSWER };

struct aider {
    uint8_t section;
    uint8_t fenced;
    uint64_t at;     /* where the section begins           */
    struct buf text; /* of it; owned                       */
    struct short_json model;
};

static const quire_bytes none = {NULL, 0};

static struct aider *aider_of(const struct import_converter *c)
{
    return c->state;
}

/* ---- entries ------------------------------------------------------------ */

static quire_status add_user(struct import_converter *c, quire_bytes text,
                             quire_error *err)
{
    struct blocks b = {.c = c, .out = &c->out};
    uint32_t parent;
    quire_status st;

    b.node = linear_place(c, 0, &parent);
    if (b.node == TREE_NONE)
        return err_memory(err);
    convert_first_fact(c, FACT_PROMPT, text);
    entry_begin_message(c, b.node, parent, "user");
    st = blocks_text(&b, text, err);
    buf_add_char(&c->out, ']');
    return st ? st : entry_end_message(c, b.node, err);
}

static quire_status add_answer(struct import_converter *c, quire_bytes text,
                               quire_error *err)
{
    struct blocks b = {.c = c};
    struct held *h;
    uint32_t parent;
    quire_status st;

    b.node = linear_place(c, 0, &parent);
    if (b.node == TREE_NONE)
        return err_memory(err);
    st = hold_open(c, b.node, &h, err);
    if (st)
        return st;
    h->answer.parent = parent;
    h->answer.model = aider_of(c)->model;
    b.out = &h->json;
    b.answer = &h->answer;
    st = blocks_text(&b, text, err);
    c->hold.bytes += h->json.len;
    return st ? st : hold_close(c, h, err);
}

/* Without the blank lines at its end. */
static quire_bytes trimmed(const struct buf *text)
{
    size_t n = text->len;

    while (n > 0 && strchr(" \n", text->data[n - 1]))
        n--;
    return bytes_of(text->data, n);
}

/* The section ends: it is an entry, unless it is blank. */
static quire_status end_section(struct import_converter *c, quire_error *err)
{
    struct aider *s = aider_of(c);
    struct buf json = BUF_INIT(IMPORT_CEILING);
    enum section section = (enum section)s->section;
    quire_bytes text = trimmed(&s->text);
    uint64_t at = c->at;
    quire_status st = QUIRE_OK;

    s->section = SECTION_NONE;
    if (text.len && section != SECTION_NONE) {
        json_add_quoted(&json, text);
        c->at = s->at;
        st = json.failed               ? err_memory(err)
             : section == SECTION_USER ? add_user(c, buf_bytes(&json), err)
             : section == SECTION_ANSWER
                 ? add_answer(c, buf_bytes(&json), err)
                 : linear_custom(c, 0, bytes_str("output"), buf_bytes(&json),
                                 err);
        c->at = at;
    }
    buf_release(&json);
    if (s->text.cap > SECTION_MAX / 4)
        buf_release(&s->text);
    buf_clear(&s->text);
    return st;
}

/* A line of a section, which begins with it if need be. */
static quire_status add_line(struct import_converter *c, enum section section,
                             quire_bytes text, quire_error *err)
{
    struct aider *s = aider_of(c);
    quire_status st = QUIRE_OK;

    if (s->section != section || s->text.len + text.len > SECTION_MAX)
        st = end_section(c, err);
    if (st)
        return st;
    if (s->section == SECTION_NONE) {
        s->section = (uint8_t)section;
        s->at = c->at;
    }
    add_bytes(&s->text, text);
    buf_add_char(&s->text, '\n');
    return buf_status(&s->text, "a message", err);
}

/* ---- lines -------------------------------------------------------------- */

/* What is behind a mark at the beginning, without the blanks at the end. */
static bool take_mark(quire_bytes line, const char *mark, quire_bytes *rest)
{
    size_t n = strlen(mark);
    const char *text = line.data;

    if (line.len < n || memcmp(text, mark, n) != 0 ||
        (line.len > n && text[n] != ' '))
        return false;
    n += line.len > n;
    while (line.len > n && text[line.len - 1] == ' ')
        line.len--;
    *rest = bytes_sub(line, n, line.len > n ? line.len : n);
    return true;
}

static bool is_start(quire_bytes line, quire_bytes *time)
{
    static const char mark[] = "# aider chat started at ";

    if (!bytes_starts(line, bytes_str(mark)))
        return false;
    *time = bytes_sub(line, sizeof mark - 1, line.len);
    return true;
}

/* "2026-03-01 10:00:00" */
static void read_time(struct import_converter *c, quire_bytes time)
{
    char text[] = "\"0000-00-00T00:00:00Z\"";

    if (time.len < 19)
        return;
    memcpy(text + 1, time.data, 10);
    memcpy(text + 12, (const char *)time.data + 11, 8);
    convert_stamp(c, bytes_str(text));
}

static quire_status begin_conversation(struct import_converter *c,
                                       quire_bytes time, quire_error *err)
{
    quire_status st = end_section(c, err);

    c->leaf = TREE_NONE;
    aider_of(c)->fenced = 0;
    read_time(c, time);
    counts_add(&c->counts, "kept", bytes_str("start"), none);
    return st;
}

/* "Model: gpt-5 with diff edit format", "Main model: …" */
static void read_model(struct import_converter *c, quire_bytes text)
{
    static const char *const marks[] = {"Model: ", "Main model: ", NULL};
    const char *const *mark;
    struct buf json = BUF_INIT(IMPORT_CEILING);
    const char *end;
    quire_bytes name;

    for (mark = marks; *mark && !bytes_starts(text, bytes_str(*mark)); mark++)
        ;
    if (!*mark)
        return;
    name = bytes_sub(text, strlen(*mark), text.len);
    end = memchr(name.data, ' ', name.len);
    if (end)
        name.len = (size_t)(end - (const char *)name.data);
    json_add_quoted(&json, name);
    c->failed |= json.failed;
    if (!json.failed && name.len) {
        short_json_set(&aider_of(c)->model, buf_bytes(&json));
        convert_fact(c, FACT_MODEL, buf_bytes(&json));
    }
    buf_release(&json);
}

static bool is_fence(quire_bytes line)
{
    return bytes_starts(line, bytes_str("```"));
}

static quire_status line(struct import_converter *c, quire_bytes text,
                         quire_error *err)
{
    struct aider *s = aider_of(c);
    quire_bytes rest;

    if (is_start(text, &rest))
        return begin_conversation(c, rest, err);
    if (!s->fenced && take_mark(text, "####", &rest))
        return add_line(c, SECTION_USER, rest, err);
    if (!s->fenced && take_mark(text, ">", &rest)) {
        read_model(c, rest);
        return add_line(c, SECTION_OUTPUT, rest, err);
    }
    if (text.len == 0 && s->section != SECTION_ANSWER)
        return end_section(c, err);
    s->fenced ^= is_fence(text);
    return add_line(c, SECTION_ANSWER, text, err);
}

/* ---- the format --------------------------------------------------------- */

static quire_status finish(struct import_converter *c, quire_error *err)
{
    return end_section(c, err);
}

static void init(struct import_converter *c)
{
    aider_of(c)->text = (struct buf)BUF_INIT(IMPORT_CEILING);
}

static void release(struct import_converter *c)
{
    buf_release(&aider_of(c)->text);
}

static void save(const struct import_converter *c, struct buf *out)
{
    const struct aider *s = aider_of(c);

    state_put(out, &s->section, sizeof s->section);
    state_put(out, &s->fenced, sizeof s->fenced);
    state_put(out, &s->at, sizeof s->at);
    state_put_bytes(out, buf_bytes(&s->text));
    state_put_bytes(out, short_json_get(&s->model));
}

static void restore(struct import_converter *c, struct state_reader *r)
{
    struct aider *s = aider_of(c);

    state_get(r, &s->section, sizeof s->section);
    state_get(r, &s->fenced, sizeof s->fenced);
    state_get(r, &s->at, sizeof s->at);
    add_bytes(&s->text, state_get_bytes(r));
    short_json_set(&s->model, state_get_bytes(r));
    if (s->section > SECTION_ANSWER)
        r->bad = true;
    c->failed |= s->text.failed;
}

static const char *const record_starts[] = {NULL};

const struct import_format import_aider = {
    .name = "aider",
    .version = 1,
    .record_starts = record_starts,
    .state_size = sizeof(struct aider),
    .init = init,
    .release = release,
    .line = line,
    .finish = finish,
    .save = save,
    .restore = restore,
};
