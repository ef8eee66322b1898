/* formats.c - the list of formats */
#include "import/priv.h"

const struct import_format *import_format_of(const char *name)
{
    static const struct import_format *const all[] = {&import_claude_code,
                                                      &import_codex, NULL};
    const struct import_format *const *f;

    for (f = all; *f; f++)
        if (!strcmp((*f)->name, name))
            return *f;
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
