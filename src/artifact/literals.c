#include "artifact/literals.h"

#include <string.h>

#include "base/bytes.h"

/* A word with one of these is compared. */
static const char signs[] = "+#$@%&=~^|<>\\";

/* These end a word in the query, or surround it in a sentence. */
static const char spaces[] = " \t\r\n\"";
static const char marks[] = ".,;:!?'()[]{}*";

/* Bytes of characters beyond ASCII count as letters. */
static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (c >= '0' && c <= '9') || c == '_' || (unsigned char)c >= 0x80;
}

static char fold(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

void literals_read(struct literals *l, const char *query)
{
    l->n = 0;
    while (*query && l->n < LITERALS_MAX) {
        const char *from = query + strspn(query, spaces);
        const char *end = from + strcspn(from, spaces);

        query = end;
        while (from < end && strchr(marks, *from))
            from++;
        while (end > from && strchr(marks, end[-1]))
            end--;
        if (strcspn(from, signs) < (size_t)(end - from))
            l->words[l->n++] = bytes_of(from, (size_t)(end - from));
    }
}

/* Whether the word is at `at`, as a word of its own. */
static bool is_at(quire_bytes text, size_t at, quire_bytes word, bool prefix)
{
    const char *t = text.data, *w = word.data;
    size_t i, end = at + word.len;

    for (i = 0; i < word.len; i++) {
        if (fold(t[at + i]) != fold(w[i]))
            return false;
    }
    return !(is_letter(w[0]) && at > 0 && is_letter(t[at - 1])) &&
           (prefix || !is_letter(w[word.len - 1]) || end == text.len ||
            !is_letter(t[end]));
}

static bool is_in(quire_bytes text, quire_bytes word, bool prefix)
{
    size_t at;

    for (at = 0; at + word.len <= text.len; at++) {
        if (is_at(text, at, word, prefix))
            return true;
    }
    return false;
}

bool literals_match(const struct literals *l, const quire_bytes *texts,
                    size_t n, bool prefix)
{
    size_t i, k;

    for (i = 0; i < l->n; i++) {
        for (k = 0; k < n && !is_in(texts[k], l->words[i], prefix); k++)
            ;
        if (k == n)
            return false;
    }
    return true;
}

bool literals_have_prefix(const struct literals *l)
{
    size_t i;

    for (i = 0; i < l->n; i++) {
        const char *text = l->words[i].data;

        if (is_letter(text[l->words[i].len - 1]))
            return true;
    }
    return false;
}
