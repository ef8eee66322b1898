/*
 * stem.c - the beginning that the forms of an English word share
 *
 * A stem is only ever searched as the beginning of a word, behind the entries
 * that have the word itself. So it need not be a word, and one that is too
 * short costs more than one that is too long: "string" is not "str". Endings
 * are removed, and nothing is put in their place:
 *
 *     deployments  deploy        policies  polic       running  run
 *     connections  connect       cache     cach        class    class
 */
#include <string.h>

#include "base/bytes.h"
#include "search/stem.h"

/* What is left has at least so many letters. */
enum { PLURAL_MIN = 3, STEM_MIN = 4 };

static bool ends_in(const char *word, size_t len, const char *ending)
{
    size_t n = strlen(ending);

    return len > n && !memcmp(word + len - n, ending, n);
}

static bool is_vowel(char c)
{
    return strchr("aeiou", c);
}

static size_t drop_plural(const char *word, size_t len)
{
    if (len > PLURAL_MIN && ends_in(word, len, "s") &&
        !ends_in(word, len, "ss") && !ends_in(word, len, "us") &&
        !ends_in(word, len, "is"))
        return len - 1;
    return len;
}

/* The last letter of a pair that an ending has doubled: running, controlled.
 * Others had two before: passing, buzzing, calling. */
static size_t drop_double(const char *word, size_t len)
{
    char last = word[len - 1];

    if (last != word[len - 2] || is_vowel(last) || last == 's' || last == 'z' ||
        (last == 'l' && len <= 5))
        return len;
    return len - 1;
}

static size_t drop_ending(const char *word, size_t len)
{
    static const struct {
        const char *text;
        size_t min; /* letters before it */
        bool doubles;
    } endings[] = {
        {"ation", STEM_MIN, false}, {"ment", STEM_MIN, false},
        {"ness", STEM_MIN, false},  {"able", STEM_MIN, false},
        {"ing", STEM_MIN, true},    {"ion", STEM_MIN + 1, false},
        {"ed", STEM_MIN, true},     {"ly", STEM_MIN, false},
    };
    size_t i;

    for (i = 0; i < sizeof endings / sizeof *endings; i++) {
        size_t n = strlen(endings[i].text);

        if (ends_in(word, len, endings[i].text) && len - n >= endings[i].min)
            return endings[i].doubles ? drop_double(word, len - n) : len - n;
    }
    return len;
}

/* cache and caching, policy and policies; but deploy keeps its y. */
static size_t drop_last_vowel(const char *word, size_t len)
{
    if (len <= STEM_MIN)
        return len;
    if (ends_in(word, len, "ie"))
        return len > STEM_MIN + 1 ? len - 2 : len;
    if (ends_in(word, len, "e") || ends_in(word, len, "i") ||
        (ends_in(word, len, "y") && !is_vowel(word[len - 2])))
        return len - 1;
    return len;
}

size_t stem_length(const char *word)
{
    size_t len = drop_plural(word, strlen(word));

    return drop_last_vowel(word, drop_ending(word, len));
}
