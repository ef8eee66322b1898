#include "search/filter.h"

#include "base/bytes.h"

struct filter_kind {
    const char *name;
    enum filter_key key;
    const char *values; /* separated and surrounded by blanks; NULL: any */
    const char *why;    /* if the value is none of them */
};

static const struct filter_kind kinds[] = {
    {"kind", FILTER_KIND,
     " message thinking tool_input tool_result summary title label output "
     "artifact memory history ",
     "unknown kind"},
    {"role", FILTER_ROLE, " user assistant tool system ", "unknown role"},
    {"tool", FILTER_TOOL, NULL, NULL},
    {"project", FILTER_PROJECT, NULL, NULL},
    {"model", FILTER_MODEL, NULL, NULL},
    {"agent", FILTER_AGENT, NULL, NULL},
    {"session", FILTER_SESSION, NULL, NULL},
    {"tag", FILTER_TAG, NULL, NULL},
    {"is", FILTER_IS, " error active archived pinned ", "unknown state"},
    {"has", FILTER_HAS, " image code link ", "unknown content"},
    {"before", FILTER_BEFORE, NULL, NULL},
    {"after", FILTER_AFTER, NULL, NULL},
    {"path", FILTER_PATH, NULL, NULL},
    {"until", FILTER_BEFORE, NULL, NULL},
    {"since", FILTER_AFTER, NULL, NULL},
};

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool equal_ignoring_case(quire_bytes a, const char *b, size_t len)
{
    const char *text = a.data;
    size_t i;

    for (i = 0; i < len && i < a.len && lower(text[i]) == b[i]; i++)
        ;
    return a.len == len && i == len;
}

/* Whether the text behind a colon makes it one of an address or a name of a program:
 * agent://0-x, path::join. */
static bool continues_word(const char *behind, size_t len)
{
    return (len > 0 && behind[0] == ':') ||
           (len > 1 && behind[0] == '/' && behind[1] == '/');
}

bool filter_find_key(quire_bytes word, enum filter_key *key, size_t *value)
{
    const char *colon = word.len ? memchr(word.data, ':', word.len) : NULL;
    size_t len = colon ? (size_t)(colon - (const char *)word.data) : 0, i;

    if (colon && continues_word(colon + 1, word.len - len - 1))
        return false;
    for (i = 0; colon && i < sizeof kinds / sizeof *kinds; i++) {
        if (equal_ignoring_case(bytes_sub(word, 0, len), kinds[i].name,
                                strlen(kinds[i].name))) {
            *key = kinds[i].key;
            *value = len + 1;
            return true;
        }
    }
    return false;
}

static const struct filter_kind *find_kind(enum filter_key key)
{
    size_t i = 0;

    while (kinds[i].key != key)
        i++;
    return &kinds[i];
}

const char *filter_key_name(enum filter_key key)
{
    return find_kind(key)->name;
}

/* The name of the list that equals `value`, else an empty one. */
static quire_bytes find_name(const char *list, quire_bytes value)
{
    const char *at = list + 1;
    size_t len;

    for (; *at; at += len + 1) {
        len = strcspn(at, " ");
        if (equal_ignoring_case(value, at, len))
            return bytes_of(at, len);
    }
    return bytes_of(at, 0);
}

const char *filter_set(struct search_filter *f, enum filter_key key,
                       quire_bytes value, int64_t now_us)
{
    const struct filter_kind *kind = find_kind(key);

    f->key = key;
    f->value = kind->values ? find_name(kind->values, value) : value;
    if (!value.len)
        return "filter without a value";
    if (!f->value.len)
        return kind->why;
    if ((key == FILTER_BEFORE || key == FILTER_AFTER) &&
        !search_parse_time(value, now_us, &f->time_us))
        return "not a time";
    return NULL;
}
