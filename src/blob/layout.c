/* layout.c - the names of blob files */
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "blob/priv.h"

static const char suffix[] = ".blob.gz";

void layout_name(quire_layout layout, const quire_digest *d,
                 char name[NAME_BYTES])
{
    char hex[65];

    hex_encode(d->byte, sizeof d->byte, hex);
    if (layout == QUIRE_LAYOUT_FLAT)
        snprintf(name, NAME_BYTES, "%s", hex);
    else
        snprintf(name, NAME_BYTES, "%.2s/%.2s/%s%s", hex, hex + 2, hex + 4,
                 suffix);
}

/* A blob's name is exactly what layout_name() returns for its digest. Upper
 * case, other suffixes and other depths are foreign files. */
bool layout_parse(quire_layout layout, const char *name, quire_digest *out)
{
    char hex[65], again[NAME_BYTES];

    if (layout == QUIRE_LAYOUT_FLAT) {
        if (strlen(name) != 64)
            return false;
        memcpy(hex, name, 64);
    } else {
        if (strlen(name) != 66 + sizeof suffix - 1)
            return false;
        memcpy(hex, name, 2);
        memcpy(hex + 2, name + 3, 2);
        memcpy(hex + 4, name + 6, 60);
    }
    hex[64] = '\0';
    if (!hex_decode(hex, sizeof out->byte, out->byte))
        return false;
    layout_name(layout, out, again);
    return !strcmp(name, again);
}
