/* survey.c - see survey.h */
#include "import/survey.h"

#include "base/bytes.h"
#include "import/known.h"

static size_t place_of(const struct import_agent *agent)
{
    size_t i = 0;

    while (import_agents[i] != agent)
        i++;
    return i;
}

static void count(struct import_survey_row *row, const struct import_found *f,
                  struct import_known_files *known)
{
    if (f->unreadable)
        return;
    row->bytes += f->size;
    if (!f->is_main)
        return;
    row->sessions++;
    row->imported += known_row(known, f->path) ||
                     (f->replaces && known_row(known, f->replaces));
    if (f->modified_ns > row->newest_ns)
        row->newest_ns = f->modified_ns;
}

quire_status import_survey(quire *q, const struct import_places *places,
                           struct import_survey_row rows[IMPORT_AGENTS_MAX],
                           size_t *n, quire_error *err)
{
    struct import_survey_row all[IMPORT_AGENTS_MAX] = {{.agent = NULL}};
    struct import_known_files own, *known = places->known;
    quire_status st;
    size_t i;

    if (!known)
        known_init(known = &own, q);
    st = known_load(known, err);

    for (i = 0; i < places->n && !st; i++)
        count(&all[place_of(places->list[i].agent)], &places->list[i], known);
    if (known == &own)
        known_release(&own);
    *n = 0;
    for (i = 0; i < IMPORT_AGENTS_MAX; i++) {
        all[i].agent = import_agents[i];
        if (all[i].sessions)
            rows[(*n)++] = all[i];
    }
    return st;
}
