/* agents.c - see agents.h */
#include "import/agents.h"

#include <string.h>

#define LIST(id) &import_agent_##id,

const struct import_agent *const import_agents[] = {IMPORT_AGENTS(LIST) NULL};

const struct import_agent *import_agent_of(const char *name)
{
    const struct import_agent *const *a;

    for (a = import_agents; *a; a++)
        if (!strcmp((*a)->name, name))
            return *a;
    return NULL;
}
