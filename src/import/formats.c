/* formats.c - what is known of a format */
#include "import/priv.h"

const char *import_format_name(const struct import_format *format)
{
    return format->name;
}

unsigned import_format_version(const struct import_format *format)
{
    return format->version;
}
