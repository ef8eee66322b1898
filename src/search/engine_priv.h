/* engine_priv.h - shared by the files of the engine */
#ifndef SEARCH_ENGINE_PRIV_H
#define SEARCH_ENGINE_PRIV_H

#include "search/engine.h"
#include "store/sql.h"

/* The statements, in engine.c. */
enum {
    SQL_COUNTERS,
    SQL_SET_COUNTER,
    SQL_SEGMENTS,
    SQL_ADD_SEGMENT,
    SQL_DROP_SEGMENT,
    SQL_STAMP_SEGMENTS,
    SQL_DEAD,
    SQL_ADD_DEAD,
    SQL_DROP_DEAD,
    SQL_PUT_SOURCE,
    SQL_DROP_SOURCE,
    SQL_FIND_SOURCE,
    SQL_SOURCE,
    SQL_SOURCES,
    SQL_ALL_SOURCES,
    SQL_COUNT_SOURCES,
    SQL_PUT_TURN,
    SQL_FIND_TURN,
    SQL_FIRST_TURN,
    SQL_DROP_TURNS,
    SQL_MARK,
    SQL_SET_MARK,
    N_SQL
};

/* A segment that is open. */
struct open_segment {
    struct segment *s;
    int64_t stamp;
};

/* Numbers, ascending. */
struct numbers {
    uint32_t *list; /* owned */
    size_t n;
};

struct counters {
    int64_t epoch, text, segment, source, stamp;
};

struct engine {
    struct engine_config c;
    struct sql sql;
    struct counters now;       /* in an update: with its changes */
    struct open_segment *open; /* owned, by first text */
    struct segment **list;     /* owned; the same */
    size_t n_open;
    struct numbers dead, hidden; /* sources */
    int64_t begun_stamp;         /* when the update began */
    bool ready;                  /* has its tables */
    bool updating;               /* between begin and end */
    struct segment_builder *builder;
};

static inline bool engine_has_number(const struct numbers *s, uint32_t number)
{
    size_t from = 0, to = s->n;

    while (from < to) {
        size_t middle = from + (to - from) / 2;

        if (s->list[middle] == number)
            return true;
        if (s->list[middle] < number)
            from = middle + 1;
        else
            to = middle;
    }
    return false;
}

/* Remove the objects of segments with numbers below `below` that are not open: those
 * that were merged or forgotten, by this update or by one that ended in a crash. */
quire_status engine_remove_unlisted(struct engine *e, uint64_t below,
                                    quire_error *err);

/* Load what others have committed, within a transaction. */
quire_status engine_load_state(struct engine *e, bool *changed,
                               quire_error *err);

/* Post a statement with one number, or with both. */
quire_status engine_run_number(struct engine *e, int which, int64_t a,
                               int64_t b, bool both, quire_error *err);

#endif
