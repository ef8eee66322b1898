/* settings.c - settings that can change while the server runs; see server.h */
#include <stdlib.h>

#include "base/err.h"
#include "server/priv.h"

quire_status server_read_settings(struct server *s, quire_error *err)
{
    struct settings *new = calloc(1, sizeof *new);
    quire_status st;

    if (!new)
        return err_memory(err);
    st = s->c.settings ? s->c.settings(s->c.ctx, &new->s, err) : QUIRE_OK;
    if (st) {
        free(new);
        return st;
    }
    new->before = atomic_load(&s->settings);
    atomic_store(&s->settings, new);
    return importer_watch(s->importer, new->s.import_watch, err);
}

quire_status server_reload(struct server *s, quire_error *err)
{
    /* The certificate first: if that fails, the settings stay. */
    quire_status st = http_reload(s->http, err);

    return st ? st : server_read_settings(s, err);
}
