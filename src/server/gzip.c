/* gzip.c - see gzip.h */
#include "server/gzip.h"

#include <stdint.h>
#include <stdlib.h>

#include <isa-l/igzip_lib.h>

struct gzip {
    struct isal_zstream z;
    uint8_t level_buf[ISAL_DEF_LVL1_DEFAULT];
};

struct gzip *gzip_new(void)
{
    return malloc(sizeof(struct gzip));
}

void gzip_free(struct gzip *g)
{
    free(g);
}

bool gzip_pack(struct gzip *g, quire_bytes plain, struct buf *out)
{
    struct isal_zstream *z = &g->z;
    uint8_t *room;

    /* Its counters have 32 bits. */
    if (plain.len < 2 || plain.len > INT32_MAX)
        return false;
    room = buf_room(out, plain.len - 1);
    if (!room)
        return false;
    isal_deflate_init(z);
    z->level = 1;
    z->level_buf = g->level_buf;
    z->level_buf_size = sizeof g->level_buf;
    z->gzip_flag = IGZIP_GZIP;
    z->end_of_stream = 1;
    /* It takes no const, and does not write there. */
    z->next_in = (uint8_t *)(uintptr_t)plain.data;
    z->avail_in = (uint32_t)plain.len;
    z->next_out = room;
    z->avail_out = (uint32_t)plain.len - 1;
    if (isal_deflate(z) != COMP_OK || z->internal_state.state != ZSTATE_END)
        return false;
    buf_grow(out, z->total_out);
    return true;
}
