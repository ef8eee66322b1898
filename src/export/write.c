/* write.c - what targets share; see target.h */
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/err.h"
#include "export/target.h"

#define CEILING ((size_t)2 << 30)

quire_status export_flush(struct export *x, size_t least, quire_error *err)
{
    quire_status st;

    if (x->out.failed)
        return err_memory(err);
    if (x->out.len < least || x->out.len == 0)
        return QUIRE_OK;
    st = x->write(x->write_ctx, buf_bytes(&x->out), err);
    buf_clear(&x->out);
    return st;
}

/* ---- what is left out ---------------------------------------------------- */

enum { DROPS_MAX = 200, KIND_MAX = 100 };

static struct export_drop *find_drop(struct export *x, const char *kind)
{
    struct export_drop *list = x->drops;
    size_t cap = x->cap_drops ? x->cap_drops * 2 : 16, i;

    for (i = 0; i < x->n_drops; i++)
        if (!strcmp(list[i].kind, kind))
            return &list[i];
    if (x->n_drops == x->cap_drops) {
        list = arena_array(&x->keep, cap, sizeof *list);
        if (!list)
            return NULL;
        if (x->n_drops)
            memcpy(list, x->drops, x->n_drops * sizeof *list);
        x->drops = list;
        x->cap_drops = cap;
    }
    kind = arena_text(&x->keep, bytes_str(kind));
    if (!kind)
        return NULL;
    list[x->n_drops] = (struct export_drop){.kind = kind};
    return &list[x->n_drops++];
}

void export_drop_n(struct export *x, const char *kind, quire_bytes detail,
                   uint64_t n)
{
    struct buf b = BUF_INIT(1024);
    struct export_drop *d;
    const char *text;

    buf_add_str(&b, kind);
    if (detail.len && x->n_drops < DROPS_MAX) {
        buf_add_char(&b, ' ');
        buf_add(&b, detail.data, detail.len < KIND_MAX ? detail.len : KIND_MAX);
    }
    text = buf_text(&b);
    d = text ? find_drop(x, text) : NULL;
    if (d)
        d->n += n;
    else
        x->out.failed = true;
    buf_release(&b);
}

void export_drop(struct export *x, const char *kind, quire_bytes detail)
{
    export_drop_n(x, kind, detail, 1);
}

/* ---- values -------------------------------------------------------------- */

const char *export_time(int64_t ms, char out[TIMESTAMP_SIZE])
{
    int64_t most = INT64_C(8640000000000000);

    timestamp_format((ms > most ? most : ms < -most ? -most : ms) * 1000, out);
    return out;
}

void export_put_time(struct export *x, const char *key, int64_t ms)
{
    char text[TIMESTAMP_SIZE];

    json_put_str(&x->w, key, export_time(ms, text));
}

/* Line breaks can stand between its values only. */
void export_raw(struct export *x, quire_bytes json)
{
    size_t from = x->out.len, i;

    json_raw(&x->w, json);
    for (i = from; !x->out.failed && i < x->out.len; i++)
        if (x->out.data[i] == '\n' || x->out.data[i] == '\r')
            x->out.data[i] = ' ';
}

void export_put_raw(struct export *x, const char *key, quire_bytes json)
{
    json_key(&x->w, key);
    export_raw(x, json);
}

void export_line(struct export *x)
{
    buf_add_char(&x->out, '\n');
    json_begin(&x->w, &x->out);
}

bool export_drop_note(struct export *x, const struct export_message *m)
{
    size_t n = strlen(x->session.agent);

    if (!n || !strcmp(x->session.agent, x->target->name) ||
        !bytes_starts(m->custom, bytes_str(x->session.agent)) ||
        m->custom.len <= n || ((const char *)m->custom.data)[n] != '/')
        return false;
    export_drop(x, "note", m->custom);
    return true;
}

static bool is_plain(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') ||
           (c >= 'a' && c <= 'z') || c == '_' || c == '-';
}

quire_bytes export_plain_id(struct export *x, quire_bytes id)
{
    const char *s = id.data;
    char *out;
    size_t i;

    for (i = 0; i < id.len && is_plain(s[i]); i++)
        ;
    if (i == id.len && i > 0 && i <= 64)
        return id;
    out = arena_alloc(&x->tmp, 65);
    if (!out) {
        x->out.failed = true;
        return bytes_str("_");
    }
    if (id.len > 64 || !id.len) {
        export_hex(x, id, 0, 24, out);
        return bytes_of(out, 24);
    }
    for (i = 0; i < id.len; i++)
        out[i] = is_plain(s[i]) ? s[i] : '_';
    return bytes_of(out, id.len);
}

bool export_is_image(struct export *x, const struct export_block *b)
{
    static const char *const types[] = {"image/png", "image/jpeg", "image/gif",
                                        "image/webp"};
    const char *s = b->data.data;
    size_t i, n;

    for (n = 0; n < b->data.len &&
                (is_plain(s[n]) || s[n] == '+' || s[n] == '/' || s[n] == '=');)
        n++;
    for (i = 0; i < 4 && n == b->data.len && n > 0; i++)
        if (bytes_is(b->mime, types[i]))
            return true;
    export_drop(x, "image", b->mime);
    return false;
}

bool export_has(const struct export_blocks *b, enum export_block_kind kind)
{
    size_t i;

    for (i = 0; i < b->n; i++)
        if (b->list[i].kind == kind)
            return true;
    return false;
}

static void add_separator(struct buf *b)
{
    if (b->len)
        buf_add_str(b, "\n\n");
}

quire_bytes export_text_of(struct export *x, const struct export_blocks *blocks,
                           bool notes)
{
    struct buf b = BUF_INIT(CEILING);
    quire_bytes out;
    size_t i;

    if (blocks->n == 1 && blocks->list[0].kind == EXPORT_TEXT)
        return blocks->list[0].text;
    for (i = 0; i < blocks->n; i++) {
        const struct export_block *block = &blocks->list[i];

        if (block->kind == EXPORT_TEXT) {
            add_separator(&b);
            buf_add(&b, block->text.data, block->text.len);
        } else if (notes && block->kind == EXPORT_IMAGE) {
            add_separator(&b);
            buf_addf(&b, "[image %.*s]", (int)block->mime.len,
                     (const char *)block->mime.data);
        } else if (notes && block->kind == EXPORT_OTHER) {
            add_separator(&b);
            buf_addf(&b, "[%.*s]", (int)block->type.len,
                     (const char *)block->type.data);
        }
    }
    x->out.failed |= b.failed;
    out = arena_dup(&x->tmp, buf_bytes(&b));
    x->out.failed |= !out.data;
    buf_release(&b);
    return out.data ? out : bytes_str("");
}

quire_bytes export_plain(struct export *x, const struct export_message *m)
{
    static const char summary[] =
        "The conversation before this point was compacted. Its summary:\n\n",
                      branch[] = "Summary of a branch that was left:\n\n";
    quire_bytes text = export_text_of(x, &m->blocks, true);
    const char *head = m->role == EXPORT_SUMMARY  ? summary
                       : m->role == EXPORT_BRANCH ? branch
                                                  : NULL;
    char *out;

    if (m->role == EXPORT_RESULT)
        head = arena_printf(&x->tmp, "Result of the tool %.*s:\n\n",
                            (int)m->tool.len, (const char *)m->tool.data);
    if (!head)
        return text;
    out = arena_alloc(&x->tmp, strlen(head) + text.len + 1);
    if (!out) {
        x->out.failed = true;
        return bytes_str("");
    }
    memcpy(out, head, strlen(head));
    memcpy(out + strlen(head), text.data, text.len);
    return bytes_of(out, strlen(head) + text.len);
}

/* ---- what only a provider can read --------------------------------------- */

bool export_same_provider(const struct export *x,
                          const struct export_message *m, const char *provider)
{
    return bytes_is(m->provider, provider) ||
           !strcmp(x->session.agent, x->target->name);
}

void export_drop_opaque(struct export *x, const struct export_block *b)
{
    if (b->kind == EXPORT_REDACTED)
        export_drop(x, "redacted thinking", bytes_str(""));
    if (b->kind == EXPORT_THINKING && b->signature.len)
        export_drop(x, "thinking signature", bytes_str(""));
    if (b->kind == EXPORT_THINKING && b->encrypted.len)
        export_drop(x, "encrypted reasoning", bytes_str(""));
}

/* ---- names and places ---------------------------------------------------- */

const char *export_title(struct export *x)
{
    const char *agent = x->session.agent, *title = x->session.title;

    if (!*title || !*agent || !strcmp(agent, x->target->name))
        return title;
    title = arena_printf(&x->keep, "%s (from %s)", title, agent);
    x->out.failed |= !title;
    return title ? title : "";
}

const char *export_root(struct export *x, const char *variable,
                        const char *otherwise)
{
    const char *value = variable ? getenv(variable) : NULL;

    if (value && *value == '/')
        return arena_text(&x->keep, bytes_str(value));
    value = getenv("HOME");
    return value && *value == '/'
               ? arena_printf(&x->keep, "%s/%s", value, otherwise)
               : NULL;
}

/* Programs in JavaScript replace each UTF-16 unit. */
const char *export_dashed(struct export *x, const char *path)
{
    char *out = arena_text(&x->keep, bytes_str(path)), *to = out;
    const char *c;

    for (c = path; out && *c; c++) {
        unsigned char byte = (unsigned char)*c;
        bool plain = (*c >= '0' && *c <= '9') || (*c >= 'A' && *c <= 'Z') ||
                     (*c >= 'a' && *c <= 'z') || *c == '-';

        if ((byte & 0xc0) == 0x80)
            continue;
        *to++ = plain ? *c : '-';
        if (byte >= 0xf0)
            *to++ = '-';
    }
    if (out)
        *to = '\0';
    return out;
}
