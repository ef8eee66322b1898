#include "cli/core/suggest.h"

#include <stdbool.h>
#include <string.h>

#include "base/edit_distance.h"

void suggest_offer(struct suggestion *g, const char *candidate)
{
    size_t len = strlen(g->word);
    size_t d = edit_distance(g->word, candidate);

    /* A prefix stands for the word. */
    if (len >= 2 && !strncmp(g->word, candidate, len))
        d = 1;
    if (!g->best || d < g->distance) {
        g->best = candidate;
        g->distance = d;
    }
}

const char *suggest_take(const struct suggestion *g)
{
    /* Up to a third of the letters may be wrong. */
    size_t allowed = (strlen(g->word) + 2) / 3;

    return g->best && g->distance <= allowed ? g->best : NULL;
}

/* ---- what other programs call it ---------------------------------------- */

static const struct {
    const char *words; /* separated by blanks */
    const char *names[5];
} synonyms[] = {
    {"delete del remove erase unlink drop destroy", {"rm"}},
    {"list dir all", {"ls"}},
    {"find grep query lookup rg", {"search"}},
    {"cat view display less more open print type", {"show", "get", "read"}},
    {"info describe inspect details", {"stat", "show", "stats"}},
    {"create init make start", {"new", "add", "put"}},
    {"save store upload write push insert", {"put", "add", "append"}},
    {"fetch download load pull", {"get", "read"}},
    {"update modify change", {"edit", "set", "put"}},
    {"copy cp clone duplicate", {"fork"}},
    {"mv", {"move"}},
    {"retitle name", {"rename"}},
    {"tag", {"label"}},
    {"undelete undo recover unremove", {"restore", "unarchive"}},
    {"hide close", {"archive"}},
    {"link connect", {"relate"}},
    {"disconnect", {"unrelate"}},
    {"expire end", {"invalidate"}},
    {"log entries events", {"tree", "show"}},
    {"prune collect clean cleanup vacuum purge compact", {"gc"}},
    {"verify fsck validate test", {"check"}},
    {"fix heal", {"repair"}},
    {"rebuild index", {"reindex"}},
    {"exec execute sh shell bash", {"run"}},
    {"server daemon http web listen", {"serve"}},
    {"du df usage size status", {"stats"}},
    {"settings setting options", {"config", "ls"}},
    {"unset reset", {"set"}},
    {"sync", {"watch"}},
    {"token", {"rotate"}},
};

static bool has_word(const char *words, const char *word)
{
    size_t len = strlen(word);
    const char *at = words;

    while ((at = strstr(at, word))) {
        if ((at == words || at[-1] == ' ') && (!at[len] || at[len] == ' '))
            return true;
        at++;
    }
    return false;
}

const char *suggest_synonym(const char *word, size_t index)
{
    size_t i;

    for (i = 0; *word && i < sizeof synonyms / sizeof *synonyms; i++) {
        if (has_word(synonyms[i].words, word))
            return index < sizeof synonyms->names / sizeof *synonyms->names
                       ? synonyms[i].names[index]
                       : NULL;
    }
    return NULL;
}

const char *suggest_advice(const char *word)
{
    static const struct {
        const char *word, *hint;
    } advice[] = {
        {"merge", "sessions are not merged: `quire session append` adds "
                  "entries, `quire session extract` copies a branch"},
        {"backup", "\"Copying a home\" in docs/guide.md shows how to copy one "
                   "that quire uses"},
        {"log", "`quire run --log` lists runs, `quire history ls` prompts, "
                "`quire session tree` the entries of a session"},
    };
    size_t i;

    for (i = 0; i < sizeof advice / sizeof *advice; i++) {
        if (!strcmp(advice[i].word, word))
            return advice[i].hint;
    }
    return NULL;
}
