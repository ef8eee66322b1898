/* spool.c - see spool.h */
#include "http/spool.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/err.h"
#include "base/fs.h"

struct spool {
    struct spool_room *room;
    unsigned owner;
    struct fs_temp file;
    int dir;
    uint64_t len;
    uint64_t kept; /* of the room */
    void *map;     /* NULL: it has not been looked at */
};

static void let_go(struct spool *s, uint64_t bytes)
{
    atomic_fetch_sub(&s->room->used, bytes);
    atomic_fetch_sub(&s->room->of[s->owner], bytes);
    s->kept -= bytes;
}

/* Reserve `more` bytes. Only bytes that have arrived count: a client that
 * announces much and sends nothing takes nothing from others. */
static quire_status keep(struct spool *s, uint64_t more, quire_error *err)
{
    struct spool_room *room = s->room;
    uint64_t all = atomic_fetch_add(&room->used, more) + more;
    uint64_t mine = atomic_fetch_add(&room->of[s->owner], more) + more;

    s->kept += more;
    if (all <= room->max && mine <= room->max / 2)
        return QUIRE_OK;
    let_go(s, more);
    err_set(err, QUIRE_BUSY, "too many large bodies and answers are under way");
    if (err)
        err->code = QUIRE_CODE_LIMIT;
    return QUIRE_BUSY;
}

quire_status spool_open(struct spool_room *room, unsigned owner,
                        quire_bytes first, struct spool **out, quire_error *err)
{
    struct spool *s = calloc(1, sizeof *s);
    quire_status st;

    *out = NULL;
    if (!s)
        return err_memory(err);
    *s = (struct spool){.room = room,
                        .owner = owner % SPOOL_SHARES,
                        .file = FS_TEMP_INIT,
                        .dir = -1};
    st = fs_open_dir(room->dir, true, &s->dir, err);
    if (!st && fs_temp_open(&s->file, s->dir) < 0)
        st = err_sys(err, errno, "cannot create a file in %s", room->dir);
    if (!st)
        st = spool_add(s, first, err);
    if (st)
        spool_free(s);
    else
        *out = s;
    return st;
}

quire_status spool_add(struct spool *s, quire_bytes piece, quire_error *err)
{
    quire_status st = keep(s, piece.len, err);

    if (st)
        return st;
    if (fs_write_all(s->file.fd, piece) < 0)
        return err_sys(err, errno, "cannot keep a large body or answer in %s",
                       s->room->dir);
    s->len += piece.len;
    return QUIRE_OK;
}

uint64_t spool_len(const struct spool *s)
{
    return s->len;
}

quire_bytes spool_bytes(struct spool *s)
{
    void *map = s->map;

    if (!map && s->len > 0)
        map = mmap(NULL, s->len, PROT_READ, MAP_PRIVATE, s->file.fd, 0);
    if (map == MAP_FAILED)
        return bytes_of(NULL, 0);
    s->map = map;
    return bytes_of(map ? map : "", s->len);
}

void spool_free(struct spool *s)
{
    if (!s)
        return;
    if (s->map)
        munmap(s->map, s->len);
    fs_temp_release(&s->file);
    if (s->dir >= 0)
        close(s->dir);
    let_go(s, s->kept);
    free(s);
}
