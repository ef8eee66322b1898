/* output.h - the outputs of a session, open */
#ifndef API_OUTPUT_H
#define API_OUTPUT_H

#include "output/dir.h"
#include "api/core/handle.h"

struct quire_outputs {
    struct quire *q;
    struct output_dir outdir; /* its store is ours                    */
    bool temporary;
    const char *dir;   /* its path; in `keep`                  */
    struct arena keep; /* as long as it is open                */
    struct arena loan; /* until the next call                  */
};

#endif
