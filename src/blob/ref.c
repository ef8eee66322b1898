/* ref.c - the text form of a digest */
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "base/err.h"
#include "blob/hash.h"

static const char scheme[] = "blob:sha256:";

void quire_ref_format(const quire_digest *digest, char ref[QUIRE_REF_SIZE])
{
    memcpy(ref, scheme, sizeof scheme - 1);
    hex_encode(digest->byte, sizeof digest->byte, ref + sizeof scheme - 1);
}

quire_status quire_ref_parse(const char *text, quire_digest *out,
                             quire_error *err)
{
    const char *hex = text;

    if (!strncmp(hex, scheme, sizeof scheme - 1))
        hex += sizeof scheme - 1;
    else if (!strncmp(hex, scheme + 5, sizeof scheme - 6))
        hex += sizeof scheme - 6;
    if (strlen(hex) == 64 && hex_decode(hex, sizeof out->byte, out->byte))
        return QUIRE_OK;
    return err_fail(err, QUIRE_INVALID,
                    "give blob:sha256: and 64 hex digits, or the first six or "
                    "more of them",
                    "%.90s is not a blob reference", text);
}
