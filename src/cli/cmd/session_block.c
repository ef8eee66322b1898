#include "cli/cmd/session_block.h"

#include <string.h>

#include "base/bytes.h"
#include "cli/core/cli.h"

/* How much of a text is printed. */
static const struct {
    size_t units, lines;
} sizes[] = {
    [BLOCK_WHOLE] = {SIZE_MAX, SIZE_MAX},
    [BLOCK_THINKING] = {600, 3},
    [BLOCK_RESULT] = {4000, 8},
    [BLOCK_LINE] = {300, 1},
};

void blocks_init(struct blocks *b, struct cli *cli, bool full)
{
    *b = (struct blocks){.cli = cli,
                         .marks = term_marks(),
                         .full = full,
                         .text = BUF_INIT((size_t)1 << 30),
                         .line = BUF_INIT(16 * 1024 * 1024)};
}

void blocks_release(struct blocks *b)
{
    quire_close(b->images);
    buf_release(&b->text);
    buf_release(&b->line);
}

/* ---- text --------------------------------------------------------------- */

/* Print one line, or part of one, indented. */
static void print_line(struct blocks *b, quire_bytes line, const char *style)
{
    bool styled = b->cli->out.color && *style;

    out_str(b->cli, "  ");
    if (styled)
        out_str(b->cli, style);
    out_write(b->cli, line);
    if (styled)
        out_str(b->cli, BLOCK_PLAIN);
    out_str(b->cli, "\n");
}

/* Print up to `max` lines; returns how many are left. */
static size_t print_lines(struct blocks *b, quire_bytes text, size_t max,
                          const char *style)
{
    size_t left = 0;

    while (text.len) {
        const char *end = memchr(text.data, '\n', text.len);
        size_t len = end ? (size_t)(end - (const char *)text.data) : text.len;

        if (max) {
            print_line(b, bytes_sub(text, 0, len), style);
            max--;
        } else {
            left++;
        }
        text = bytes_sub(text, len + (end != NULL), text.len);
    }
    return left;
}

void block_print(struct blocks *b, quire_bytes value, enum block_size size,
                 const char *style)
{
    enum block_size kept = b->full ? BLOCK_WHOLE : size;
    char words[32];
    size_t left;
    bool cut;

    if (!value.data || json_kind(value) == JSON_NULL)
        return;
    buf_clear(&b->text);
    cut = term_add_json(&b->text, value, sizes[kept].units, size == BLOCK_LINE);
    while (b->text.len && strchr("\n ", b->text.data[b->text.len - 1]))
        b->text.len--;
    if (b->text.failed) {
        print_line(b, bytes_str("(too long to be shown)"), style);
        return;
    }
    left = print_lines(b, buf_bytes(&b->text), sizes[kept].lines, style);
    if (!cut && !left)
        return;
    buf_clear(&b->line);
    buf_addf(&b->line, "%s ", b->marks->dots);
    size_text(value.len, words, sizeof words);
    if (cut)
        buf_addf(&b->line, "%s in all", words);
    else
        buf_addf(&b->line, "%zu more line%s", left, left == 1 ? "" : "s");
    print_line(b, buf_bytes(&b->line), BLOCK_DIM);
}

/* ---- images ------------------------------------------------------------- */

/* The size of a blob; false if it is absent or unknown. */
static bool blob_size(struct blocks *b, const quire_digest *digest,
                      uint64_t *size)
{
    quire_options options = QUIRE_OPTIONS_INIT;
    quire_blob_info info;

    if (!b->images && !b->no_images) {
        cli_store_options(b->cli->args, &options);
        options.flags |= QUIRE_READ_ONLY;
        b->no_images = quire_open(&options, &b->images, NULL) != QUIRE_OK;
    }
    if (b->no_images || quire_blob_stat(b->images, digest, &info, NULL))
        return false;
    *size = info.size;
    return info.size != UINT64_MAX;
}

/* "[image image/png, 18.2 KiB, blob:sha256:…]". */
static void print_image(struct blocks *b, quire_bytes mime, quire_bytes data)
{
    struct buf ref = BUF_INIT(1024);
    char words[32], text[QUIRE_REF_SIZE];
    quire_digest digest;
    uint64_t size = 0;
    bool known, is_ref = false;

    if (json_kind(data) == JSON_STRING && data.len < 128) {
        json_decode(data, &ref);
        is_ref = buf_text(&ref) && !strncmp(buf_text(&ref), "blob:", 5) &&
                 !quire_ref_parse(buf_text(&ref), &digest, NULL);
    }
    buf_clear(&b->line);
    buf_add_str(&b->line, "[image");
    if (json_kind(mime) == JSON_STRING) {
        buf_add_char(&b->line, ' ');
        term_add_json(&b->line, mime, 100, true);
    }
    known = is_ref ? blob_size(b, &digest, &size) : data.len > 2;
    if (known) {
        if (!is_ref)
            size = (data.len - 2) / 4 * 3;
        size_text(size, words, sizeof words);
        buf_addf(&b->line, ", %s", words);
    }
    if (is_ref) {
        quire_ref_format(&digest, text);
        buf_addf(&b->line, ", %s%s", text, known ? "" : ", not in the store");
    }
    buf_add_char(&b->line, ']');
    print_line(b, buf_bytes(&b->line), "");
    buf_release(&ref);
}

/* ---- blocks ------------------------------------------------------------- */

/* "→ read {"path":"a.c"}". */
static void print_call(struct blocks *b, quire_bytes name,
                       quire_bytes arguments)
{
    size_t units = b->full ? SIZE_MAX : sizes[BLOCK_LINE].units;

    buf_clear(&b->text);
    buf_addf(&b->text, "%s ", b->marks->arrow);
    term_add_json(&b->text, name, 200, true);
    if (arguments.data) {
        buf_add_char(&b->text, ' ');
        if (term_add_json(&b->text, arguments, units, true))
            buf_add_str(&b->text, b->marks->dots);
    }
    print_line(b, buf_bytes(&b->text), BLOCK_BOLD);
}

static void print_block(struct blocks *b, quire_bytes block,
                        enum block_size size)
{
    enum { TYPE, TEXT, THINKING, NAME, ARGUMENTS, INPUT, MIME, DATA, N };
    struct json_want w[N] = {JSON_WANT("type"),      JSON_WANT("text"),
                             JSON_WANT("thinking"),  JSON_WANT("name"),
                             JSON_WANT("arguments"), JSON_WANT("input"),
                             JSON_WANT("mimeType"),  JSON_WANT("data")};
    quire_bytes type;

    if (!json_pick(block, w, N, NULL)) {
        block_print(b, block, BLOCK_RESULT, "");
        return;
    }
    type = w[TYPE].value;
    if (json_is(type, "text")) {
        block_print(b, w[TEXT].value, size, "");
    } else if (json_is(type, "thinking")) {
        block_print(b, w[THINKING].value, BLOCK_THINKING, BLOCK_DIM);
    } else if (json_is(type, "image")) {
        print_image(b, w[MIME].value, w[DATA].value);
    } else if (w[NAME].value.data) {
        print_call(b, w[NAME].value,
                   w[ARGUMENTS].value.data ? w[ARGUMENTS].value
                                           : w[INPUT].value);
    } else {
        buf_clear(&b->line);
        buf_add_char(&b->line, '[');
        if (!type.data)
            buf_add_str(&b->line, "block");
        term_add_json(&b->line, type, 100, true);
        buf_add_char(&b->line, ']');
        print_line(b, buf_bytes(&b->line), "");
    }
}

void block_print_content(struct blocks *b, quire_bytes content,
                         enum block_size size)
{
    struct json_scan it;

    if (json_kind(content) != JSON_ARRAY) {
        block_print(b, content, size, "");
        return;
    }
    json_iter_init(&it, content);
    while (json_next(&it))
        print_block(b, it.value, size);
}
