/*
 * search_turns.h - which turn the lines of a session are in
 *
 * While a session is read, its lines are cut into the stretches that the index keeps
 * (search/engine.h). A line below the one before it continues a stretch. One that is
 * below another branches off: the stretch of its parent says which turn that is. To
 * find it, the ids of the session are read once, if there is any such line.
 */
#ifndef API_SEARCH_TURNS_H
#define API_SEARCH_TURNS_H

#include "api/search.h"
#include "store/log.h"

enum { TURN_ID_MAX = 128 };

struct turn_ids;

/* The lines of a session, or the events of a conversation, while they are read. */
struct turn_reader {
    struct search_index *x;
    struct engine *to;
    const struct source *source;
    struct log *log; /* NULL: nothing branches */
    struct turn now; /* its strings are the two below */
    char first[TURN_ID_MAX], last[TURN_ID_MAX];
    bool is_open;         /* `now` has a line in this engine */
    bool is_changed;      /* `now` is to be written          */
    struct turn_ids *ids; /* owned; NULL: nothing has branched yet */
};

/* Go on behind the last stretch of a source that an engine has. */
quire_status turn_reader_continue(struct turn_reader *t, struct engine *of,
                                  uint32_t number, quire_error *err);

/* The next line. */
struct turn_line {
    uint64_t at;
    quire_bytes id, parent;
    bool is_prompt;
};
quire_status turn_reader_line(struct turn_reader *t,
                              const struct turn_line *line, quire_error *err);

/* Write the stretch that is being read. */
quire_status turn_reader_save(struct turn_reader *t, quire_error *err);
void turn_reader_release(struct turn_reader *t);

/* Whether the line is below another than the one before. */
bool turn_reader_branches(const struct turn_reader *t, quire_bytes parent);

/* The turn of a hit, its last entry being that of the stretch. QUIRE_NOT_FOUND without a
 * message: it is in none. */
quire_status search_find_turn(struct search_index *x, struct engine *e,
                              const struct source *source,
                              const struct place *place, struct arena *keep,
                              struct turn *out, quire_error *err);

#endif
