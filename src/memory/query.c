/*
 * query.c - turn a question into a query
 *
 * A question is in plain words: "what did we decide about the build cache?"
 * Stop words are dropped, unless nothing else is left. Of the rest any word
 * matches; words that are adjacent count once more, and so do words near each
 * other:
 *
 *     build cache  ->  "build cache" OR NEAR("build" "cache", 8)
 *                      OR "build" OR "cache"
 *
 * Entries that have none of the words, but words that begin like them, are
 * another query, whose hits come after those of the first:
 *
 *     deployments  ->  ("deploy" *) NOT ("deployments")
 *
 * search/query.h defines terms; no text produces a query that the index refuses.
 *
 * Cue words in a question also suggest a type of entry. The cues are few and
 * simple on purpose: they raise an entry by less than a third, and users need
 * not learn them.
 */
#include <string.h>

#include "base/bytes.h"
#include "base/err.h"
#include "memory/priv.h"
#include "search/stem.h"
#include "search/query.h"

/* Each is a walk through the index. */
#define TERMS_MAX 32

/* With more words than these nearness is a coincidence. */
#define NEAR_MIN   2
#define NEAR_MAX   6
#define NEAR_REACH 8

/* Fewer letters begin too many words. In bytes. */
#define BEGINNING_MIN 3

/* ---- words -------------------------------------------------------------- */

static const char *const stop_words[] = {
    "a",      "about",   "after",  "again",   "all",     "also",    "am",
    "an",     "and",     "any",    "are",     "aren't",  "as",      "at",
    "be",     "because", "been",   "before",  "being",   "between", "both",
    "but",    "by",      "can",    "can't",   "cannot",  "could",   "did",
    "didn't", "do",      "does",   "doesn't", "doing",   "don't",   "down",
    "during", "each",    "few",    "for",     "from",    "further", "had",
    "has",    "have",    "having", "he",      "her",     "here",    "hers",
    "him",    "his",     "how",    "i",       "if",      "in",      "into",
    "is",     "isn't",   "it",     "it's",    "its",     "just",    "let",
    "me",     "more",    "most",   "my",      "no",      "nor",     "not",
    "now",    "of",      "off",    "on",      "once",    "only",    "or",
    "other",  "our",     "ours",   "out",     "over",    "own",     "same",
    "she",    "should",  "so",     "some",    "such",    "than",    "that",
    "that's", "the",     "their",  "theirs",  "them",    "then",    "there",
    "these",  "they",    "this",   "those",   "through", "to",      "too",
    "under",  "until",   "up",     "us",      "very",    "was",     "wasn't",
    "we",     "were",    "what",   "what's",  "when",    "where",   "which",
    "while",  "who",     "whom",   "whose",   "why",     "will",    "with",
    "would",  "you",     "your",   "yours",   NULL,
};

static const char *const user_cues[] = {
    "who",      "prefer",    "prefers", "preference", "preferences", "likes",
    "favorite", "favourite", "my",      "me",         "i",           NULL,
};

static const char *const feedback_cues[] = {
    "feedback", "complained", "complaint", "corrected", "correction",
    "mistake",  "mistakes",   "avoid",     "never",     "always",
    "dislikes", "should",     NULL,
};

static const char *const project_cues[] = {
    "project",  "decided", "decide",  "decision",  "decisions",
    "deadline", "release", "roadmap", "milestone", "milestones",
    "goal",     "goals",   "plan",    "planned",   NULL,
};

static const char *const reference_cues[] = {
    "where", "link",   "links",     "url",     "docs",      "documentation",
    "spec",  "manual", "dashboard", "address", "reference", NULL,
};

static const char *const learning_cues[] = {
    "how",   "why",    "learned",    "learnt", "lesson", "lessons", "fix",
    "fixed", "solved", "workaround", "cause",  "trick",  NULL,
};

static const char *const context_cues[] = {
    "when",   "now",      "today",     "current", "currently", "latest",
    "recent", "recently", "situation", "status",  "context",   NULL,
};

static const char *const *const cues[N_TYPES] = {
    [QUIRE_MEMORY_USER] = user_cues,
    [QUIRE_MEMORY_FEEDBACK] = feedback_cues,
    [QUIRE_MEMORY_PROJECT] = project_cues,
    [QUIRE_MEMORY_REFERENCE] = reference_cues,
    [QUIRE_MEMORY_LEARNING] = learning_cues,
    [QUIRE_MEMORY_CONTEXT] = context_cues,
};

/* The longest word of the lists has fewer. */
enum { WORD_SIZE = 24 };

static bool is_sign(char c)
{
    return c && strchr(".,;:!?()[]{}<>*/+-=", c);
}

/* A term in lower case, without the signs around it: "The," is "the". "" if it
 * is too long for the lists. */
static void normalize_term(quire_bytes term, char out[WORD_SIZE])
{
    const char *at = term.data;
    size_t from = 0, to = term.len, i;

    while (from < to && is_sign(at[from]))
        from++;
    while (to > from && is_sign(at[to - 1]))
        to--;
    out[0] = '\0';
    if (to - from >= WORD_SIZE)
        return;
    for (i = from; i < to; i++) {
        char c = at[i];

        out[i - from] = c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
    }
    out[to - from] = '\0';
}

static bool is_among(const char *const *words, const char *word)
{
    for (; *words; words++) {
        if (!strcmp(*words, word))
            return true;
    }
    return false;
}

/* ---- intent ------------------------------------------------------------- */

unsigned memory_intent(quire_bytes text)
{
    struct query_terms t;
    char word[WORD_SIZE];
    unsigned types = 0;
    quire_bytes term;
    int i;

    query_terms_init(&t, text);
    while (query_next_term(&t, &term)) {
        normalize_term(term, word);
        for (i = 0; i < N_TYPES; i++) {
            if (is_among(cues[i], word))
                types |= 1u << i;
        }
    }
    return types;
}

/* The significant terms, up to TERMS_MAX. */
static size_t read_terms(quire_bytes text, bool all, quire_bytes *out)
{
    struct query_terms t;
    char word[WORD_SIZE];
    quire_bytes term;
    size_t n = 0;

    query_terms_init(&t, text);
    while (n < TERMS_MAX && query_next_term(&t, &term)) {
        normalize_term(term, word);
        if (all || !is_among(stop_words, word))
            out[n++] = term;
    }
    return n;
}

bool memory_query_has_words(quire_bytes text)
{
    return query_has_terms(text);
}

/* The terms that count: all of them, if they are stop words. */
static size_t read_question(quire_bytes text, quire_bytes *out)
{
    size_t n = read_terms(text, false, out);

    return n ? n : read_terms(text, true, out);
}

/* Each term as an operand of `to`. False: out of memory. */
static bool add_each(const quire_bytes *terms, size_t n, struct query *to,
                     struct arena *keep)
{
    bool whole = to != NULL;
    size_t i;

    for (i = 0; i < n && whole; i++)
        whole = query_add(to, query_words(&terms[i], 1, false, keep));
    return whole;
}

/* Any of the terms; unless `plain`, also those that are adjacent, or near each other,
 * once more. */
static quire_status words_query(quire_bytes text, bool plain,
                                struct arena *keep, struct query **out,
                                quire_error *err)
{
    struct query *any = query_new(QUERY_OR, keep), *near;
    quire_bytes terms[TERMS_MAX];
    size_t n = read_question(text, terms);
    bool whole = any != NULL;

    *out = NULL;
    if (n > 1 && !plain)
        whole = query_add(any, query_words(terms, n, false, keep));
    if (whole && n >= NEAR_MIN && n <= NEAR_MAX && !plain) {
        near = query_new(QUERY_NEAR, keep);
        if (near)
            near->reach = NEAR_REACH;
        whole = add_each(terms, n, near, keep) && query_add(any, near);
    }
    if (!whole || !add_each(terms, n, any, keep))
        return err_memory(err);
    *out = query_unwrap(any);
    return QUIRE_OK;
}

quire_status memory_words_query(quire_bytes text, struct arena *keep,
                                struct query **out, quire_error *err)
{
    return words_query(text, false, keep, out, err);
}

/* ---- word beginnings ---------------------------------------------------- */

/* The beginning to search for, of a term in lower case; 0: none. Half a number
 * or half a name is another one. Words of other scripts have no endings that
 * are known here. */
static size_t beginning_of(const char *word)
{
    size_t len = strlen(word), i;
    bool ascii = true;

    for (i = 0; i < len; i++) {
        unsigned char c = (unsigned char)word[i];

        if (c < 0x80 && (c < 'a' || c > 'z'))
            return 0;
        ascii &= c < 0x80;
    }
    if (len < BEGINNING_MIN)
        return 0;
    return ascii ? stem_length(word) : len;
}

/* Add each beginning to `to`. False: out of memory. */
static bool add_beginnings(quire_bytes text, struct query *to,
                           struct arena *keep)
{
    struct query_terms t;
    char word[WORD_SIZE];
    bool whole = to != NULL;
    quire_bytes term;
    size_t n = 0;

    query_terms_init(&t, text);
    while (n < TERMS_MAX && whole && query_next_term(&t, &term)) {
        size_t len;

        normalize_term(term, word);
        len = t.in_quotes || is_among(stop_words, word) ? 0
                                                        : beginning_of(word);
        if (len == 0)
            continue;
        n++;
        term = bytes_of(word, len);
        whole = query_add(to, query_words(&term, 1, true, keep));
    }
    return whole;
}

quire_status memory_stem_query(quire_bytes text, struct arena *keep,
                               struct query **out, quire_error *err)
{
    struct query *any = query_new(QUERY_OR, keep), *words;
    struct query *both = query_new(QUERY_NOT, keep);
    quire_status st;

    *out = NULL;
    if (!both || !add_beginnings(text, any, keep))
        return err_memory(err);
    if (!any->first)
        return QUIRE_OK;
    st = words_query(text, true, keep, &words, err);
    if (st)
        return st;
    query_add(both, query_unwrap(any));
    query_add(both, words);
    *out = both;
    return QUIRE_OK;
}
