/*
 * html.c - sessions as one page, to read and to share
 *
 * Content is untrusted. What makes the page safe:
 *
 *  (1) There is no script. A policy in the page forbids scripts, frames, forms,
 *      and every request; it allows images in data: URLs and the one style sheet,
 *      by its hash.
 *  (2) Content gets into the page by add_text() alone, as text between tags:
 *      & < > " and ' are written as references. It never gets into the name of a
 *      tag, and into an attribute only as checked base64 of a raster image.
 *  (3) Text is well-formed UTF-8. Control characters become U+FFFD; characters
 *      that turn the direction of writing are shown by their names.
 */
#include <stdio.h>
#include <string.h>

#include <nettle/sha2.h>

#include "base/base64.h"
#include "base/bytes.h"
#include "base/utf8.h"
#include "export/targets.h"

static const char style[] =
    ":root{color-scheme:light dark;--back:#fff;--text:#1c1e21;--soft:#5b6169;"
    "--line:#d9dce1;--box:#f4f5f7;--user:#e8f0fe;--mark:#0b57d0;--bad:#b3261e}"
    "@media(prefers-color-scheme:dark){:root{--back:#15171a;--text:#e4e6e9;"
    "--soft:#9aa1aa;--line:#33373d;--box:#1e2125;--user:#1b2a41;--mark:#8ab4f8;"
    "--bad:#f2b8b5}}"
    "*{box-sizing:border-box}"
    "body{margin:0;background:var(--back);color:var(--text);"
    "font:16px/1.5 system-ui,sans-serif}"
    "header,main,footer{max-width:52rem;margin:0 auto;padding:0 1rem}"
    "header{padding-top:1.5rem;border-bottom:1px solid var(--line)}"
    "h1{font-size:1.4rem;margin:0 0 .25rem;overflow-wrap:anywhere}"
    "h2{font-size:1rem;margin:0 0 .5rem}"
    "p{margin:0 0 1rem}"
    ".meta,time{color:var(--soft);font-size:.85rem;font-weight:400;"
    "overflow-wrap:anywhere}"
    ".skip{position:absolute;left:-99rem}"
    ".skip:focus{left:1rem;top:1rem;background:var(--back);padding:.5rem}"
    "article{padding:1rem 0;border-bottom:1px solid var(--line)}"
    ".user{background:var(--user);margin:0 -1rem;padding:1rem}"
    ".text{white-space:pre-wrap;overflow-wrap:anywhere;unicode-bidi:plaintext}"
    "details{margin:.5rem 0;border:1px solid var(--line);border-radius:.4rem;"
    "background:var(--box)}"
    "summary{padding:.5rem .75rem;cursor:pointer;overflow-wrap:anywhere}"
    "summary:focus-visible,a:focus-visible{outline:2px solid var(--mark)}"
    "details>:not(summary){margin:0;padding:.5rem .75rem;"
    "border-top:1px solid var(--line)}"
    "pre{margin:.5rem 0;padding:.5rem .75rem;background:var(--box);"
    "overflow:auto;max-height:32rem;font:.85rem/1.45 ui-monospace,monospace;"
    "white-space:pre-wrap;overflow-wrap:anywhere;unicode-bidi:plaintext}"
    "img{max-width:100%;height:auto}"
    ".bad{color:var(--bad)}"
    "a{color:var(--mark)}"
    "@media print{details{break-inside:avoid}pre{max-height:none}}";

/* ---- text ---------------------------------------------------------------- */

/* Characters that change the direction of what follows. */
static bool turns(uint32_t cp)
{
    return cp == 0x061c || cp == 0x200e || cp == 0x200f ||
           (cp >= 0x202a && cp <= 0x202e) || (cp >= 0x2066 && cp <= 0x2069);
}

static void add_char(struct buf *out, uint32_t cp)
{
    char bytes[4];

    if (cp == '&')
        buf_add_str(out, "&amp;");
    else if (cp == '<')
        buf_add_str(out, "&lt;");
    else if (cp == '>')
        buf_add_str(out, "&gt;");
    else if (cp == '"')
        buf_add_str(out, "&quot;");
    else if (cp == '\'')
        buf_add_str(out, "&#39;");
    else if (turns(cp))
        buf_addf(out, "[U+%04X]", (unsigned)cp);
    else if ((cp < ' ' && cp != '\n' && cp != '\t') ||
             (cp >= 0x7f && cp <= 0x9f) || (cp & 0xfffe) == 0xfffe)
        buf_add_str(out, "\xef\xbf\xbd");
    else
        buf_add(out, bytes, utf8_encode(cp, bytes));
}

static void add_text(struct export *x, quire_bytes text)
{
    const char *s = text.data;
    size_t at = 0;
    uint32_t cp;

    while (at < text.len) {
        if (s[at] == '\r') { /* a line break, alone or before another */
            if (at + 1 == text.len || s[at + 1] != '\n')
                buf_add_char(&x->out, '\n');
            at++;
            continue;
        }
        at += utf8_decode(bytes_sub(text, at, text.len), &cp, NULL);
        add_char(&x->out, cp);
    }
}

static void add(struct export *x, const char *html)
{
    buf_add_str(&x->out, html);
}

static void add_time(struct export *x, int64_t ms)
{
    char time[TIMESTAMP_SIZE];

    export_time(ms, time);
    buf_addf(&x->out, "<time datetime=\"%s\">%.10s %.8s</time>", time, time,
             time + 11);
}

/* ---- blocks -------------------------------------------------------------- */

static void add_image(struct export *x, const struct export_block *b)
{
    if (!export_is_image(x, b))
        return;
    add(x, "<p><img alt=\"image\" src=\"data:");
    buf_add(&x->out, b->mime.data, b->mime.len); /* one of a list */
    add(x, ";base64,");
    buf_add(&x->out, b->data.data, b->data.len); /* base64, checked */
    add(x, "\"></p>\n");
}

static void add_pre(struct export *x, quire_bytes text)
{
    add(x, "<pre>\n");
    add_text(x, text);
    add(x, "</pre>\n");
}

static void add_result(struct export *x, const struct export_result *r)
{
    quire_bytes text = export_text_of(x, &r->blocks, false);
    size_t i;

    add(x, "<div>\n");
    if (r->is_error)
        add(x, "<p class=\"bad\">The tool failed.</p>\n");
    if (text.len)
        add_pre(x, text);
    for (i = 0; i < r->blocks.n; i++) {
        if (r->blocks.list[i].kind == EXPORT_IMAGE)
            add_image(x, &r->blocks.list[i]);
        if (r->blocks.list[i].kind == EXPORT_OTHER)
            export_drop(x, "block", r->blocks.list[i].type);
    }
    add(x, "</div>\n");
}

/* The beginning of the first string in the arguments: what the call is about. */
static void add_hint(struct export *x, quire_bytes arguments)
{
    struct json_scan it;
    quire_bytes text;

    json_iter_init(&it, arguments);
    while (json_next(&it)) {
        if (json_kind(it.value) != JSON_STRING)
            continue;
        text = json_text(it.value, &x->tmp);
        x->out.failed |= !text.data;
        text.len = utf8_cut(text, 80);
        add(x, " <span class=\"meta\">");
        add_text(x, text);
        add(x, "</span>");
        return;
    }
}

static void add_call(struct export *x, const struct export_block *b)
{
    struct buf json = BUF_INIT((size_t)2 << 30);

    add(x, "<details><summary>Tool <b>");
    add_text(x, b->name);
    add(x, "</b>");
    add_hint(x, b->arguments);
    if (b->result && b->result->is_error)
        add(x, " <span class=\"bad\">failed</span>");
    add(x, "</summary>\n");
    json_indent(b->arguments, &json);
    x->out.failed |= json.failed;
    add_pre(x, buf_bytes(&json));
    buf_release(&json);
    if (b->result)
        add_result(x, b->result);
    add(x, "</details>\n");
}

static void add_thinking(struct export *x, const struct export_block *b)
{
    export_drop_opaque(x, b);
    if (b->kind == EXPORT_REDACTED || !b->text.len)
        return;
    add(x, "<details><summary>Thinking</summary>\n<div class=\"text\">");
    add_text(x, b->text);
    add(x, "</div></details>\n");
}

static void add_block(struct export *x, const struct export_block *b)
{
    switch (b->kind) {
    case EXPORT_TEXT:
        add(x, "<div class=\"text\">");
        add_text(x, b->text);
        add(x, "</div>\n");
        break;
    case EXPORT_CALL: add_call(x, b); break;
    case EXPORT_IMAGE: add_image(x, b); break;
    case EXPORT_THINKING:
    case EXPORT_REDACTED: add_thinking(x, b); break;
    case EXPORT_OTHER: export_drop(x, "block", b->type); break;
    }
}

/* ---- messages ------------------------------------------------------------ */

struct kind {
    const char *name, *title;
    bool folded;
};

static const struct kind kinds[] = {
    [EXPORT_USER] = {"user", "User", false},
    [EXPORT_ASSISTANT] = {"assistant", "Assistant", false},
    [EXPORT_SYSTEM] = {"system", "System", true},
    [EXPORT_NOTE] = {"note", "Note", false},
    [EXPORT_RESULT] = {"result", "Result of a tool", true},
    [EXPORT_SUMMARY] = {"compaction", "Compaction", true},
    [EXPORT_BRANCH] = {"branch", "Another branch", true},
    [EXPORT_RESET] = {"reset", "New context", false},
};

static quire_status message(struct export *x, const struct export_message *m,
                            quire_error *err)
{
    const struct kind *k = &kinds[m->role];
    size_t i;

    (void)err;
    if (m->role == EXPORT_NOTE && m->hidden) {
        export_drop(x, "note", m->custom);
        return QUIRE_OK;
    }
    buf_addf(&x->out, "<article class=\"%s\" id=\"m%llu\">\n<h2>%s ", k->name,
             (unsigned long long)x->n, k->title);
    add_time(x, m->ms);
    if (m->role == EXPORT_ASSISTANT && m->model.len) {
        add(x, " <span class=\"meta\">");
        add_text(x, m->model);
        add(x, "</span>");
    }
    add(x, "</h2>\n");
    if (k->folded)
        add(x, "<details><summary>Show</summary><div>\n");
    for (i = 0; i < m->blocks.n; i++)
        add_block(x, &m->blocks.list[i]);
    if (m->role == EXPORT_ASSISTANT && m->error.len) {
        add(x, "<p class=\"bad\">");
        add_text(x, m->error);
        add(x, "</p>\n");
    }
    add(x, k->folded ? "</div></details>\n</article>\n" : "</article>\n");
    return QUIRE_OK;
}

/* ---- the page ------------------------------------------------------------ */

static void add_policy(struct export *x)
{
    uint8_t digest[SHA256_DIGEST_SIZE];
    struct sha256_ctx h;

    sha256_init(&h);
    sha256_update(&h, sizeof style - 1, (const uint8_t *)style);
    sha256_digest(&h, sizeof digest, digest);
    add(x, "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src "
           "'none'; img-src data:; style-src 'sha256-");
    base64_encode(bytes_of(digest, sizeof digest), &x->out);
    add(x, "'; base-uri 'none'; form-action 'none'\">\n");
}

static quire_status begin(struct export *x, quire_error *err)
{
    const struct export_session *s = &x->session;
    quire_bytes title = bytes_str(*s->title ? s->title : "Session");

    (void)err;
    add(x, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n"
           "<meta charset=\"utf-8\">\n");
    add_policy(x);
    add(x, "<meta name=\"viewport\" content=\"width=device-width, "
           "initial-scale=1\">\n"
           "<meta name=\"referrer\" content=\"no-referrer\">\n"
           "<meta name=\"robots\" content=\"noindex\">\n<title>");
    add_text(x, title);
    add(x, "</title>\n<style>");
    add(x, style);
    add(x, "</style>\n</head>\n<body>\n"
           "<a class=\"skip\" href=\"#messages\">To the messages</a>\n"
           "<header>\n<h1>");
    add_text(x, title);
    add(x, "</h1>\n<p class=\"meta\">");
    add_time(x, s->created_ms);
    if (*s->agent) {
        add(x, " · ");
        add_text(x, bytes_str(s->agent));
    }
    if (*s->cwd) {
        add(x, " · ");
        add_text(x, bytes_str(s->cwd));
    }
    add(x, "</p>\n</header>\n<main id=\"messages\">\n");
    return QUIRE_OK;
}

static quire_status end(struct export *x, quire_error *err)
{
    const struct export_usage *u = &x->total;

    (void)err;
    buf_addf(&x->out,
             "</main>\n<footer>\n<p class=\"meta\">%llu messages · %llu tokens "
             "in, %llu out",
             (unsigned long long)x->n,
             (unsigned long long)(u->input + u->cache_read + u->cache_write),
             (unsigned long long)u->output);
    if (u->cost > 0)
        buf_addf(&x->out, " · $%.2f", u->cost);
    add(x, "</p>\n</footer>\n</body>\n</html>\n");
    return QUIRE_OK;
}

const struct export_target export_html = {
    .name = "html",
    .title = "HTML",
    .suffix = ".html",
    .mime_type = "text/html; charset=utf-8",
    .begin = begin,
    .message = message,
    .end = end,
};
