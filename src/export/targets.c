/* targets.c - see targets.h */
#include "export/targets.h"

#include <string.h>

#include "quire/export.h"

#define ENTRY(id) &export_##id,

const struct export_target *const export_targets[] = {EXPORT_TARGETS(ENTRY)
                                                          NULL};

const struct export_target *export_target_of(const char *name)
{
    const struct export_target *const *t;

    for (t = export_targets; *t; t++)
        if (!strcmp((*t)->name, name))
            return *t;
    return NULL;
}

int quire_export_target_at(unsigned index, quire_export_target *out)
{
    const struct export_target *t;
    unsigned i;

    for (i = 0; export_targets[i] && i < index; i++)
        ;
    t = export_targets[i];
    if (!t)
        return 0;
    *out = (quire_export_target){.name = t->name,
                                 .title = t->title,
                                 .suffix = t->suffix,
                                 .mime_type = t->mime_type,
                                 .is_lines = t->is_lines,
                                 .can_install = t->place && !t->staged,
                                 .can_resume = t->resume != NULL};
    return 1;
}
