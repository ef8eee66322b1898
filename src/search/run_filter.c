/* run_filter.c - which places a request lets pass */
#include <string.h>

#include "base/err.h"
#include "search/run_priv.h"

static bool is_tool(quire_bytes name, quire_bytes wanted)
{
    return name.len == wanted.len &&
           !strncasecmp(name.data, wanted.data, name.len);
}

/* Models are named with a provider in front, or a date behind. */
static bool is_model(quire_bytes name, quire_bytes wanted)
{
    return memmem(name.data, name.len, wanted.data, wanted.len);
}

typedef bool (*is_name_fn)(quire_bytes name, quire_bytes wanted);

static bool name_wanted(quire_bytes name, const struct run_names *wanted,
                        is_name_fn is)
{
    size_t i;

    for (i = 0; i < wanted->n_not; i++)
        if (is(name, wanted->not [i]))
            return false;
    for (i = 0; i < wanted->n; i++)
        if (is(name, wanted->any[i]))
            return true;
    return wanted->n == 0;
}

/* Which names of a segment the filter lets pass, by their numbers: 0 is a place
 * without one. *ok is NULL if all do. */
static quire_status select_names(struct run *k, const struct segment *s,
                                 const struct run_names *wanted, is_name_fn is,
                                 bool **ok, quire_error *err)
{
    uint32_t i;

    if (wanted->n + wanted->n_not == 0)
        return QUIRE_OK;
    *ok = arena_array(k->keep, (size_t)s->n_names + 1, sizeof **ok);
    if (!*ok)
        return err_memory(err);
    (*ok)[0] = wanted->n == 0;
    for (i = 0; i < s->n_names; i++)
        (*ok)[i + 1] = name_wanted(s->names[i], wanted, is);
    return QUIRE_OK;
}

quire_status run_prepare_names(struct run *k, const struct segment *s,
                               struct names *names, quire_error *err)
{
    size_t n = (size_t)s->n_names + 1;
    quire_status st;

    names->tool_counts = arena_array(k->keep, n, sizeof(uint64_t));
    names->model_counts = arena_array(k->keep, n, sizeof(uint64_t));
    if (!names->tool_counts || !names->model_counts)
        return err_memory(err);
    st = select_names(k, s, &k->r->tools, is_tool, &names->tool_ok, err);
    return st ? st
              : select_names(k, s, &k->r->models, is_model, &names->model_ok,
                             err);
}

static bool name_passes(const bool *ok, const struct segment *s, uint16_t name)
{
    return name <= s->n_names && ok[name];
}

/* The place of a candidate has the names; one of its own has them in the columns. */
struct run_place_names run_names_of(const struct run *k,
                                    const struct candidate *c)
{
    const struct segment *s = k->segments[c->segment];
    size_t doc = (size_t)(c->text - s->first_text);

    if (c->extra)
        return (struct run_place_names){s->extra[c->extra - 1].tool,
                                        s->extra[c->extra - 1].model};
    return (struct run_place_names){s->tools[doc], s->models[doc]};
}

bool run_passes(const struct run *k, const struct candidate *c)
{
    const struct run_request *r = k->r;
    const struct segment *s = k->segments[c->segment];
    const struct names *n = &k->names[c->segment];
    size_t engine = k->owner[c->segment];
    unsigned meta = c->meta;
    int64_t us = (int64_t)c->time * 1000000;

    if (r->kinds && !(r->kinds & 1u << PLACE_KIND(meta)))
        return false;
    if (r->one_group && c->group != r->group)
        return false;
    if (r->roles && !(r->roles & 1u << PLACE_ROLE(meta)))
        return false;
    if ((meta & r->flags) != r->flags || (meta & r->not_flags) != 0 ||
        (!r->versions && meta & PLACE_OLDER))
        return false;
    if ((r->after_us && us + 999999 < r->after_us) ||
        (r->before_us && us >= r->before_us))
        return false;
    if ((n->tool_ok && !name_passes(n->tool_ok, s, run_names_of(k, c).tool)) ||
        (n->model_ok && !name_passes(n->model_ok, s, run_names_of(k, c).model)))
        return false;
    if (r->sources[engine] && !source_set_has(r->sources[engine], c->source))
        return false;
    return engine_is_live(r->engines[engine], c->source);
}
