/*
 * slash_fuzz.c - what an agent may say
 *
 * The input is a text. Its commands lie in it, in order and apart from each
 * other, and each stands at the beginning of a line that begins with a slash.
 * Where the fences are is found out here once more, line by line, the slow
 * way: no command is in one. And a text that is made of nothing but those
 * commands, printed, has just those.
 */
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/bytes.h"
#include "holds.h"
#include "slash/parse.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool inside(quire_bytes whole, quire_bytes part)
{
    const char *from = whole.data, *at = part.data;

    return part.len == 0 || (at >= from && at + part.len <= from + whole.len);
}

/* ---- fences, the slow way ----------------------------------------------- */

/* The run of marks a line begins with, behind at most three blanks. */
static size_t marks(const char *line, size_t len, char *mark, bool *bare)
{
    size_t at = 0, n = 0, i;

    while (at < len && line[at] == ' ')
        at++;
    if (at > 3 || at == len || (line[at] != '`' && line[at] != '~'))
        return 0;
    *mark = line[at];
    while (at + n < len && line[at + n] == *mark)
        n++;
    *bare = true;
    for (i = at + n; i < len; i++)
        *bare = *bare && strchr(" \t\r", line[i]) && line[i];
    return n;
}

struct fence {
    char mark; /* 0: none is open */
    size_t n;
};

static void fence_line(struct fence *f, const char *line, size_t len)
{
    char mark = 0;
    bool bare = false;
    size_t n = marks(line, len, &mark, &bare);
    const char *run = n ? memchr(line, mark, len) : NULL;

    if (n < 3)
        return;
    if (f->mark && mark == f->mark && n >= f->n && bare)
        f->mark = 0;
    else if (!f->mark &&
             (mark == '~' ||
              !memchr(run + n, '`', (size_t)(line + len - run) - n)))
        *f = (struct fence){mark, n};
}

/* ---- commands ----------------------------------------------------------- */

struct walk {
    quire_bytes text;
    size_t at;     /* the next line         */
    uint64_t line; /* of how many behind us */
    struct fence fence;
};

/* Prose up to the line of the command; the line itself. */
static quire_bytes walk_to(struct walk *w, uint64_t number)
{
    const char *text = w->text.data;

    for (;;) {
        const char *from = text + w->at, *end;
        size_t len;

        HOLDS(w->at < w->text.len);
        end = memchr(from, '\n', w->text.len - w->at);
        len = end ? (size_t)(end - from) : w->text.len - w->at;
        w->at += len + (end ? 1 : 0);
        if (++w->line == number) {
            HOLDS(!w->fence.mark);
            return bytes_of(from, len);
        }
        fence_line(&w->fence, from, len);
    }
}

static void command_holds(struct walk *w, const struct slash_command *c)
{
    quire_bytes line = walk_to(w, c->line);
    const char *body_end;

    HOLDS(line.len >= 2 && *(const char *)line.data == '/');
    HOLDS(inside(line, c->args));
    HOLDS(inside(w->text, c->body));
    if (!c->form->terminator) {
        HOLDS(c->closed && c->body.len == 0);
        return;
    }
    body_end = (const char *)w->text.data + w->at + c->body.len;
    HOLDS(c->body.len == 0 ||
          c->body.data == (const char *)w->text.data + w->at);
    w->line += bytes_count(c->body, '\n');
    w->at += c->body.len;
    if (c->closed) {
        size_t n = strlen(c->form->terminator);

        HOLDS(w->text.len - w->at >= n);
        HOLDS(!memcmp(body_end, c->form->terminator, n));
        walk_to(w, w->line + 1);
    } else {
        HOLDS(w->at == w->text.len);
    }
}

static void print(struct buf *out, const struct slash_command *c)
{
    buf_addf(out, "/%s ", c->form->name);
    buf_add(out, c->args.data, c->args.len);
    buf_add_char(out, '\n');
    buf_add(out, c->body.data, c->body.len);
    if (c->closed && c->form->terminator)
        buf_addf(out, "%s\n", c->form->terminator);
}

static void content_holds(quire_bytes body)
{
    struct buf keep = BUF_INIT((size_t)1 << 30);
    quire_bytes content = slash_content(body, &keep);

    HOLDS(!keep.failed && content.len <= body.len);
    HOLDS(content.len + bytes_count(body, '\r') + 1 >= body.len);
    HOLDS(inside(body, content) || content.data == keep.data);
    buf_release(&keep);
}

/* The commands of `text`, as they are in `again`. */
static void same_commands(quire_bytes text, quire_bytes again)
{
    struct slash_scan a, b;
    struct slash_command one, two;

    slash_scan_init(&a, text);
    slash_scan_init(&b, again);
    while (slash_next(&a, &one)) {
        HOLDS(slash_next(&b, &two));
        HOLDS(one.form == two.form && one.closed == two.closed);
        HOLDS(bytes_equal(one.args, two.args));
        HOLDS(bytes_equal(one.body, two.body));
    }
    HOLDS(!slash_next(&b, &two));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct buf printed = BUF_INIT((size_t)1 << 30);
    quire_bytes text = bytes_of(data, size);
    struct walk w = {.text = text};
    struct slash_command c;
    struct slash_scan s;

    slash_scan_init(&s, text);
    while (slash_next(&s, &c)) {
        command_holds(&w, &c);
        content_holds(c.body);
        print(&printed, &c);
    }
    HOLDS(!printed.failed);
    same_commands(text, buf_bytes(&printed));
    buf_release(&printed);
    return 0;
}
