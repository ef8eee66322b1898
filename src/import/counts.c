/* counts.c - see counts.h */
#include "import/counts.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/utf8.h"

void counts_release(struct counts *c)
{
    free(c->list);
    *c = (struct counts){.list = NULL};
}

static size_t append(char *out, size_t len, quire_bytes text)
{
    size_t room = COUNTS_NAME_SIZE - 1 - len, i;

    text.len = utf8_cut(text, room);
    for (i = 0; i < text.len; i++) {
        char c = ((const char *)text.data)[i];

        out[len + i] = c;
        if ((unsigned char)c < 0x20)
            out[len + i] = '?';
    }
    return len + text.len;
}

static size_t spell(char *out, const char *what, quire_bytes name,
                    quire_bytes field)
{
    size_t len = append(out, 0, bytes_str(what));

    len = append(out, len, bytes_str(" "));
    len = append(out, len, name);
    if (field.len) {
        len = append(out, len, bytes_str("."));
        len = append(out, len, field);
    }
    out[len] = '\0';
    return len;
}

static struct count *find(struct counts *c, const char *name, size_t len)
{
    size_t i, at = c->guess;

    for (i = 0; i < c->n; i++, at++) {
        if (at >= c->n)
            at = 0;
        if (c->list[at].len == len && !memcmp(c->list[at].name, name, len)) {
            c->guess = at + 1;
            return &c->list[at];
        }
    }
    return NULL;
}

static struct count *add(struct counts *c, const char *name, size_t len)
{
    size_t cap = c->cap ? c->cap * 2 : 16;
    struct count *list;

    if (c->n == c->cap) {
        list = realloc(c->list, cap * sizeof *list);
        if (!list)
            return NULL;
        c->list = list;
        c->cap = cap;
    }
    memcpy(c->list[c->n].name, name, len + 1);
    c->list[c->n].len = len;
    c->list[c->n].n = 0;
    return &c->list[c->n++];
}

void counts_add(struct counts *c, const char *what, quire_bytes name,
                quire_bytes field)
{
    char text[COUNTS_NAME_SIZE];
    size_t len = spell(text, what, name, field);
    struct count *found = find(c, text, len);

    if (!found && c->n + 1 >= COUNTS_MAX) {
        strcpy(text, "other");
        len = strlen(text);
        found = find(c, text, len);
    }
    if (!found)
        found = add(c, text, len);
    if (found)
        found->n++;
}
