/*
 * omp.c - oh-my-pi: its places; its format is in pi_format.h
 *
 * PI_CODING_AGENT_DIR names the directory of pi, or of oh-my-pi: that has blobs.
 */
#include "import/agents.h"
#include "import/pi_format.h"

static quire_status add_dir(struct import_places *p, const char *dir,
                            quire_error *err)
{
    return pi_add_dir(p, &import_agent_omp, dir, err);
}

static quire_status find(struct import_places *p, quire_error *err)
{
    const char *dir = places_env("PI_CODING_AGENT_DIR");

    if (dir && places_has_dir(p, dir, "blobs"))
        return add_dir(p, dir, err);
    return places_below_home(p, &import_agent_omp, ".omp/agent", err);
}

static enum import_match match_dir(struct import_places *p, const char *dir)
{
    return (strstr(dir, "/.omp/agent") || places_has_dir(p, dir, "blobs")) &&
                   places_has_dir(p, dir, "sessions")
               ? IMPORT_LIKELY
               : IMPORT_NOT;
}

/* The title slot is oh-my-pi's; without it a file could be pi's as well. */
static enum import_match match_file(const struct import_candidate *f)
{
    static const char slot[] = "{\"type\":\"title\"";

    if (!pi_matches(f))
        return IMPORT_NOT;
    return bytes_starts(f->head, bytes_str(slot)) ||
                   strstr(f->path, "/.omp/agent/")
               ? IMPORT_LIKELY
               : IMPORT_MAYBE;
}

const struct import_format import_omp = PI_FORMAT("omp");

const struct import_agent import_agent_omp = {
    .name = "omp",
    .title = "oh-my-pi",
    .where = "`~/.omp/agent`, or `PI_CODING_AGENT_DIR` with blobs",
    .format = &import_omp,
    .find = find,
    .match_dir = match_dir,
    .add_dir = add_dir,
    .match_file = match_file,
    .add_file = pi_add_file,
};
