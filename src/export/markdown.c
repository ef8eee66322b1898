/*
 * markdown.c - sessions to read and to share
 *
 * A heading a turn. Texts of users and models stand as they are, since they are
 * Markdown; what tools take and print is fenced, with a fence longer than any in
 * it.
 */
#include <string.h>

#include "base/bytes.h"
#include "base/utf8.h"
#include "export/targets.h"

struct markdown {
    enum export_role last; /* whose heading is above */
    bool begun;
};

static void add_text(struct export *x, quire_bytes text)
{
    utf8_add_mended(&x->out, text);
    if (text.len && ((const char *)text.data)[text.len - 1] != '\n')
        buf_add_char(&x->out, '\n');
}

/* The longest run of a character. */
static size_t longest_run(quire_bytes text, char c)
{
    const char *s = text.data;
    size_t best = 0, run = 0, i;

    for (i = 0; i < text.len; i++) {
        run = s[i] == c ? run + 1 : 0;
        best = run > best ? run : best;
    }
    return best;
}

static void add_fence(struct export *x, size_t n, const char *info)
{
    while (n--)
        buf_add_char(&x->out, '`');
    buf_add_str(&x->out, info);
    buf_add_char(&x->out, '\n');
}

static void add_fenced(struct export *x, quire_bytes text, const char *info)
{
    size_t n = longest_run(text, '`') + 1;

    n = n < 3 ? 3 : n;
    buf_add_char(&x->out, '\n');
    add_fence(x, n, info);
    add_text(x, text);
    add_fence(x, n, "");
}

/* On one line, as code. */
static void add_code(struct export *x, quire_bytes text)
{
    size_t n = longest_run(text, '`') + 1, i;
    const char *s = text.data;

    for (i = 0; i < n; i++)
        buf_add_char(&x->out, '`');
    text.len = utf8_cut(text, 200);
    for (i = 0; i < text.len; i++)
        buf_add_char(&x->out, (unsigned char)s[i] < ' ' ? ' ' : s[i]);
    for (i = 0; i < n; i++)
        buf_add_char(&x->out, '`');
}

/* A line of a heading or a list: no markup of the text counts. */
static void add_plain(struct export *x, quire_bytes text)
{
    const char *s = text.data;
    size_t i;

    for (i = 0; i < text.len; i++) {
        if (s[i] && strchr("\\`*_{}[]<>#|!~", s[i]))
            buf_add_char(&x->out, '\\');
        buf_add_char(&x->out, (unsigned char)s[i] < ' ' ? ' ' : s[i]);
    }
}

static void add_heading(struct export *x, enum export_role role,
                        const char *text, const struct export_message *m)
{
    struct markdown *s = x->state;
    char time[TIMESTAMP_SIZE];

    if (s->begun && s->last == role && role == EXPORT_ASSISTANT) {
        buf_add_char(&x->out, '\n');
        return;
    }
    s->begun = true;
    s->last = role;
    export_time(m->ms, time);
    buf_addf(&x->out, "\n## %s\n\n<sub>%.10s %.8s", text, time, time + 11);
    if (role == EXPORT_ASSISTANT && m->model.len) {
        buf_add_str(&x->out, " · ");
        add_plain(x, m->model);
    }
    buf_add_str(&x->out, "</sub>\n\n");
}

/* Text in a quotation. */
static void add_quoted(struct export *x, quire_bytes text)
{
    const char *s = text.data, *end = s + text.len;

    while (s < end) {
        const char *lf = memchr(s, '\n', (size_t)(end - s));
        const char *to = lf ? lf : end;

        buf_add_str(&x->out, "> ");
        utf8_add_mended(&x->out, bytes_of(s, (size_t)(to - s)));
        buf_add_char(&x->out, '\n');
        s = lf ? lf + 1 : end;
    }
}

static void add_image(struct export *x, const struct export_block *b)
{
    if (!export_is_image(x, b))
        return;
    buf_add_str(&x->out, "\n![image](data:");
    buf_add(&x->out, b->mime.data, b->mime.len);
    buf_add_str(&x->out, ";base64,");
    buf_add(&x->out, b->data.data, b->data.len);
    buf_add_str(&x->out, ")\n");
}

static void add_result(struct export *x, const struct export_result *r)
{
    quire_bytes text = export_text_of(x, &r->blocks, false);
    size_t i;

    if (r->is_error)
        buf_add_str(&x->out, "\nThe tool failed:\n");
    if (text.len)
        add_fenced(x, text, "");
    for (i = 0; i < r->blocks.n; i++)
        if (r->blocks.list[i].kind == EXPORT_IMAGE)
            add_image(x, &r->blocks.list[i]);
}

static void add_call(struct export *x, const struct export_block *b)
{
    struct buf json = BUF_INIT((size_t)2 << 30);

    buf_add_str(&x->out, "\n**Tool** ");
    add_code(x, b->name);
    buf_add_char(&x->out, '\n');
    json_indent(b->arguments, &json);
    x->out.failed |= json.failed;
    add_fenced(x, buf_bytes(&json), "json");
    buf_release(&json);
    if (b->result)
        add_result(x, b->result);
}

static void add_block(struct export *x, const struct export_block *b)
{
    switch (b->kind) {
    case EXPORT_TEXT: add_text(x, b->text); break;
    case EXPORT_CALL: add_call(x, b); break;
    case EXPORT_IMAGE: add_image(x, b); break;
    case EXPORT_THINKING:
        if (b->text.len)
            add_quoted(x, b->text);
        export_drop_opaque(x, b);
        break;
    case EXPORT_REDACTED: export_drop_opaque(x, b); break;
    case EXPORT_OTHER: export_drop(x, "block", b->type); break;
    }
}

static quire_status message(struct export *x, const struct export_message *m,
                            quire_error *err)
{
    static const char *const names[] = {[EXPORT_USER] = "User",
                                        [EXPORT_ASSISTANT] = "Assistant",
                                        [EXPORT_SYSTEM] = "System",
                                        [EXPORT_NOTE] = "Note",
                                        [EXPORT_RESULT] = "Result of a tool",
                                        [EXPORT_SUMMARY] = "Compaction",
                                        [EXPORT_BRANCH] = "Another branch",
                                        [EXPORT_RESET] = "New context"};
    size_t i;

    (void)err;
    if (m->role == EXPORT_NOTE && m->hidden) {
        export_drop(x, "note", m->custom);
        return QUIRE_OK;
    }
    add_heading(x, m->role, names[m->role], m);
    for (i = 0; i < m->blocks.n; i++) {
        if (i)
            buf_add_char(&x->out, '\n');
        if (m->role == EXPORT_RESULT && m->blocks.list[i].kind == EXPORT_TEXT)
            add_fenced(x, m->blocks.list[i].text, "");
        else
            add_block(x, &m->blocks.list[i]);
    }
    if (m->role == EXPORT_ASSISTANT && m->error.len) {
        buf_add_str(&x->out, "\nFailed: ");
        add_code(x, m->error);
        buf_add_char(&x->out, '\n');
    }
    return QUIRE_OK;
}

static quire_status begin(struct export *x, quire_error *err)
{
    const struct export_session *s = &x->session;
    char time[TIMESTAMP_SIZE];

    (void)err;
    buf_add_str(&x->out, "# ");
    add_plain(x, *s->title ? bytes_str(s->title) : bytes_str("Session"));
    export_time(s->created_ms, time);
    buf_addf(&x->out, "\n\n%.10s %.8s", time, time + 11);
    if (*s->cwd) {
        buf_add_str(&x->out, " · ");
        add_code(x, bytes_str(s->cwd));
    }
    if (*s->agent) {
        buf_add_str(&x->out, " · ");
        add_plain(x, bytes_str(s->agent));
    }
    buf_add_char(&x->out, '\n');
    return QUIRE_OK;
}

const struct export_target export_markdown = {
    .name = "markdown",
    .title = "Markdown",
    .suffix = ".md",
    .mime_type = "text/markdown; charset=utf-8",
    .state_size = sizeof(struct markdown),
    .begin = begin,
    .message = message,
};
