/* formats.c - the list of formats */
#include "import/priv.h"

const struct import_format *import_format_of(const char *name)
{
    static const struct import_format *const all[] = {&import_claude_code,
                                                      &import_codex};
    size_t i;

    for (i = 0; i < sizeof all / sizeof *all; i++)
        if (!strcmp(all[i]->name, name))
            return all[i];
    return NULL;
}

const char *import_format_name(const struct import_format *format)
{
    return format->name;
}

unsigned import_format_version(const struct import_format *format)
{
    return format->version;
}
