/*
 * reply.c - the text of a reply, and the frame around it
 *
 * Models and programs look for the end of a block. Stored content is untrusted:
 * a line of it cannot look like the end, and a name or title cannot contain a
 * line break.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "base/err.h"
#include "base/utf8.h"
#include "slash/priv.h"

#define END_MARK "[END "

/* Characters that some reader takes for the end of a line: controls except tab,
 * NEL, LS, PS. */
static bool ends_line(uint32_t cp)
{
    return (cp < 0x20 && cp != '\t') || cp == 0x85 || cp == 0x2028 ||
           cp == 0x2029;
}

void reply_add_shown(struct buf *out, quire_bytes text, size_t max)
{
    size_t at = 0, added = 0;

    while (at < text.len) {
        uint32_t cp;
        char c[4];
        size_t next = at +
                      utf8_decode(bytes_sub(text, at, text.len), &cp, NULL);
        size_t n;

        if (ends_line(cp) || cp == '\t' || (cp >= 0x7f && cp < 0xa0))
            cp = ' ';
        n = utf8_encode(cp, c);
        if (max - added < n)
            break;
        buf_add(out, c, n);
        added += n;
        at = next;
    }
    if (at < text.len)
        buf_add_str(out, "...");
}

const char *reply_shown(struct turn *t, quire_bytes text)
{
    struct buf b = BUF_INIT(2 * ARGS_SHOWN);
    const char *out = NULL;

    reply_add_shown(&b, text, ARGS_SHOWN);
    if (!b.failed)
        out = arena_text(&t->tmp, buf_bytes(&b));
    t->answer.text.failed |= !out;
    buf_release(&b);
    return out ? out : "";
}

/* ---- lines of a reply --------------------------------------------------- */

static void begin_line(struct response *a)
{
    if (a->text.len > 0 && a->text.data[a->text.len - 1] != '\n')
        buf_add_char(&a->text, '\n');
}

static void __attribute__((format(printf, 2, 0)))
add_formatted(struct response *a, const char *fmt, va_list args)
{
    char message[1024];

    vsnprintf(message, sizeof message, fmt, args);
    buf_add_str(&a->text, message);
}

void reply_add_line(struct response *a, const char *fmt, ...)
{
    va_list args;

    begin_line(a);
    va_start(args, fmt);
    add_formatted(a, fmt, args);
    va_end(args);
}

void reply_fail(struct response *a, quire_status status, const char *kind,
                const char *fmt, ...)
{
    va_list args;

    begin_line(a);
    buf_add_str(&a->text, "ERR: ");
    va_start(args, fmt);
    add_formatted(a, fmt, args);
    va_end(args);
    a->status = status;
    a->kind = kind ? kind : quire_status_name(status);
}

quire_status reply_error(struct response *a, const quire_error *cause,
                         quire_error *err)
{
    struct buf line = BUF_INIT(4096);

    if (cause->status == QUIRE_NO_MEMORY)
        return err_memory(err);
    /* Do not reveal details of disks, databases or paths to a model. */
    if (cause->status == QUIRE_IO || cause->status == QUIRE_DAMAGED) {
        reply_fail(a, cause->status, NULL, "%s",
                   cause->status == QUIRE_DAMAGED
                       ? "the stored data is damaged; report this to the "
                         "operator of the store"
                       : "the store could not do this; try again later");
        return QUIRE_OK;
    }
    reply_add_shown(&line, bytes_str(cause->what), sizeof cause->what);
    /* Hints to run a shell command do not help an agent. */
    if (cause->next[0] && cause->audience != QUIRE_FOR_SHELL) {
        buf_add_str(&line, "; ");
        reply_add_shown(&line, bytes_str(cause->next), sizeof cause->next);
    }
    if (!buf_text(&line)) {
        buf_release(&line);
        return err_memory(err);
    }
    reply_fail(a, cause->status, NULL, "%s", buf_text(&line));
    buf_release(&line);
    return QUIRE_OK;
}

/* ---- the frame ---------------------------------------------------------- */

/* Offset behind the line that begins at `at`, terminator included. */
static size_t line_end(quire_bytes text, size_t at)
{
    while (at < text.len) {
        quire_bytes rest = bytes_sub(text, at, text.len);
        uint32_t cp = ((const unsigned char *)rest.data)[0];

        at += cp < 0x80 ? 1 : utf8_decode(rest, &cp, NULL);
        if (ends_line(cp))
            break;
    }
    return at;
}

static bool is_end_line(quire_bytes line)
{
    while (line.len > 0 && *(const char *)line.data == ' ')
        line = bytes_sub(line, 1, line.len);
    return bytes_starts(line, bytes_str(END_MARK));
}

static void add_content(struct buf *out, quire_bytes text)
{
    size_t at = 0;

    if (text.len == 0)
        return;
    if (!memmem(text.data, text.len, END_MARK, strlen(END_MARK))) {
        buf_add(out, text.data, text.len);
        return;
    }
    while (at < text.len) {
        size_t end = line_end(text, at);
        quire_bytes line = bytes_sub(text, at, end);

        if (is_end_line(line))
            buf_add_char(out, ' ');
        buf_add(out, line.data, line.len);
        at = end;
    }
}

void reply_block(struct buf *out, const struct slash_command *command,
                 quire_bytes body, const char *note)
{
    buf_addf(out, "[/%s", command->form->name);
    if (command->args.len > 0)
        buf_add_char(out, ' ');
    reply_add_shown(out, command->args, ARGS_SHOWN);
    buf_add_str(out, "]\n");
    add_content(out, body);
    if (body.len > 0 && ((const char *)body.data)[body.len - 1] != '\n')
        buf_add_char(out, '\n');
    if (note)
        buf_addf(out, "%s\n", note);
    buf_addf(out, END_MARK "%s]\n\n", command->form->end);
}
