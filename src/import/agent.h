/*
 * agent.h - what import knows of an agent
 *
 * Its name, its converter, and where its sessions are: a place on this machine
 * (a directory such as ~/.codex), or what `--from PATH` names. Nothing of another
 * agent is opened for writing.
 */
#ifndef IMPORT_AGENT_H
#define IMPORT_AGENT_H

#include "import/convert.h"
#include "import/places.h"

/* How sure an agent is that something is its own. */
enum import_match {
    IMPORT_NOT,
    IMPORT_MAYBE,  /* it could be: of several agents the first one counts   */
    IMPORT_LIKELY, /* by its name or content                                */
};

/* A file in a place of unknown shape. */
struct import_candidate {
    const char *path; /* absolute      */
    const char *base; /* its last part */
    quire_bytes head; /* the first IMPORT_HEAD bytes, or all there are      */
};

struct import_agent {
    const char *name;  /* "claude-code"; its format has the same            */
    const char *title; /* "Claude Code"                                     */
    const char *where; /* in its words: "`~/.codex`, or `CODEX_HOME`"       */
    const struct import_format *format;

    /* The history of a session may begin in another file (history_base.h). */
    bool has_bases;

    /* Add the files of its places, by environment and home directory. */
    quire_status (*find)(struct import_places *p, quire_error *err);

    /* Whether a directory is such a place, or a copy of one; add its files. */
    enum import_match (*match_dir)(struct import_places *p, const char *dir);
    quire_status (*add_dir)(struct import_places *p, const char *dir,
                            quire_error *err);

    /* Whether a single file is a session; add it. `name` is its path below the
     * place's root. */
    enum import_match (*match_file)(const struct import_candidate *f);
    quire_status (*add_file)(struct import_place *at, const char *name,
                             const struct stat *st, quire_error *err);
};

#endif
