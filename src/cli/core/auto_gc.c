/* auto_gc.c - see auto_gc.h */
#include "cli/core/auto_gc.h"

#include <limits.h>
#include <stdlib.h>

#include "cli/core/detach.h"

void auto_gc_start(const char *home)
{
    char whole[PATH_MAX];
    char *argv[] = {(char[]){"quire"},   (char[]){"--home"}, whole,
                    (char[]){"--quiet"}, (char[]){"gc"},     NULL};

    if (realpath(home, whole))
        detach_run(argv, 19);
}
