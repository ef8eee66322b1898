/*
 * sidecar.h - files of an agent that belong to no session
 *
 * Prompts that a person typed go to the prompt history, notes that an agent keeps to
 * the memory. Their bytes are kept as those of session files are. A sidecar is taken
 * when it has changed; taking the same again changes nothing.
 */
#ifndef IMPORT_SIDECAR_H
#define IMPORT_SIDECAR_H

#include "base/arena.h"
#include "import/places.h"

/* A file that is taken: open at `fd`, with `size` bytes, of which those before `from`
 * were taken before. */
struct import_taking {
    quire *q;
    const struct import_found *found;
    int fd;
    uint64_t from, size;
    void (*problem)(void *ctx, uint64_t line, uint64_t byte,
                    const char *message);
    void *ctx;
};

/* Add a file below `dir` as a sidecar of the agent, if it is there; it is watched in
 * any case. */
quire_status sidecar_add(struct import_places *p,
                         const struct import_agent *agent, const char *dir,
                         const char *name, import_take_fn take,
                         quire_error *err);

/* ---- prompts ------------------------------------------------------------ */

/* How a line of a history names its parts. */
struct prompt_names {
    const char *text, *time, *cwd, *session; /* cwd NULL: it has none */
};

struct import_prompt {
    quire_bytes text;
    int64_t at_s;
    const char *cwd, *session; /* NULL: unknown */
};

/* Read one line. False: it is no prompt; *why says what is wrong with it, NULL:
 * nothing. Text is in `keep`. */
bool prompt_read(const struct prompt_names *names, quire_bytes line,
                 struct arena *keep, struct import_prompt *out,
                 const char **why);

/* Take the lines of a history. */
quire_status prompts_take(const struct import_taking *t,
                          const struct prompt_names *names, quire_error *err);

/* ---- notes -------------------------------------------------------------- */

/* Take a file of Markdown as an entry of the memory; the entry that was made of it
 * before is changed. */
quire_status note_take(const struct import_taking *t, quire_error *err);

struct import_note {
    quire_memory_type type;
    quire_bytes title;
};

/* What a note says of itself: `name` and `type` between lines of "---" at its
 * beginning, else its first heading, else its name `base`. */
struct import_note note_read(quire_bytes text, const char *base);

#endif
