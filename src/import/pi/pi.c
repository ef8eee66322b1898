/*
 * pi.c - pi: its places; its format is in pi_format.h
 *
 * PI_CODING_AGENT_DIR names the directory of pi, or of oh-my-pi: that has blobs.
 */
#include "import/agents.h"
#include "import/pi_format.h"

static quire_status add_dir(struct import_places *p, const char *dir,
                            quire_error *err)
{
    return pi_add_dir(p, &import_agent_pi, dir, err);
}

static quire_status find(struct import_places *p, quire_error *err)
{
    const char *dir = places_env("PI_CODING_AGENT_DIR");

    if (dir && !places_has_dir(p, dir, "blobs"))
        return add_dir(p, dir, err);
    return places_below_home(p, &import_agent_pi, ".pi/agent", err);
}

static enum import_match match_dir(struct import_places *p, const char *dir)
{
    return strstr(dir, "/.pi/agent") && places_has_dir(p, dir, "sessions")
               ? IMPORT_LIKELY
               : IMPORT_NOT;
}

static enum import_match match_file(const struct import_candidate *f)
{
    return pi_matches(f) ? IMPORT_LIKELY : IMPORT_NOT;
}

const struct import_format import_pi = PI_FORMAT("pi");

const struct import_agent import_agent_pi = {
    .name = "pi",
    .title = "pi",
    .where = "`~/.pi/agent`, or `PI_CODING_AGENT_DIR`",
    .format = &import_pi,
    .find = find,
    .match_dir = match_dir,
    .add_dir = add_dir,
    .match_file = match_file,
    .add_file = pi_add_file,
};
