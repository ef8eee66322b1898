/* sql.c - statements that are prepared once */
#include "store/sql.h"

#include <stdlib.h>

#include "base/err.h"

quire_status sql_init(struct sql *s, struct db *db, const char *const *texts,
                      size_t n, quire_error *err)
{
    *s = (struct sql){.db = db, .texts = texts, .n = n};
    s->stmts = calloc(n, sizeof(struct stmt *));
    return s->stmts ? QUIRE_OK : err_memory(err);
}

void sql_release(struct sql *s)
{
    size_t i;

    for (i = 0; s->stmts && i < s->n; i++) {
        if (s->stmts[i])
            s->stmts[i]->ops->finalize(s->stmts[i]);
    }
    free(s->stmts);
    s->stmts = NULL;
}

quire_status sql_use(struct sql *s, int which, struct stmt **out,
                     quire_error *err)
{
    quire_status st = QUIRE_OK;

    if (!s->stmts[which])
        st = s->db->ops->prepare(s->db, s->texts[which], &s->stmts[which], err);
    if (!st)
        s->stmts[which]->ops->reset(s->stmts[which]);
    *out = st ? NULL : s->stmts[which];
    return st;
}

void sql_reset(struct sql *s, int which)
{
    if (s->stmts[which])
        s->stmts[which]->ops->reset(s->stmts[which]);
}

quire_status sql_row(struct stmt *s, quire_error *err)
{
    bool row = false;
    quire_status st = s->ops->step(s, &row, err);

    return st ? st : row ? QUIRE_OK : QUIRE_NOT_FOUND;
}

quire_status sql_run(struct stmt *s, quire_error *err)
{
    bool row;
    quire_status st = s->ops->step(s, &row, err);

    s->ops->reset(s);
    return st;
}
