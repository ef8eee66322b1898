/* outputs.h - the outputs of a session, open */
#ifndef QUIRE_OUTPUTS_H
#define QUIRE_OUTPUTS_H

#include "output/shelf.h"
#include "quire/priv.h"

struct quire_outputs {
    struct quire *q;
    struct shelf shelf; /* its store is ours                    */
    bool temporary;
    const char *dir;   /* its path; in `keep`                  */
    struct arena keep; /* as long as it is open                */
    struct arena loan; /* until the next call                  */
};

#endif
