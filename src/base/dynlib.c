/* dynlib.c - see dynlib.h */
#include "base/dynlib.h"

#include <dlfcn.h>
#include <string.h>

bool dynlib_load(const char *file, const struct dynlib_symbol *calls, size_t n)
{
    void *handle = dlopen(file, RTLD_NOW | RTLD_LOCAL), *found = handle;
    size_t i;

    for (i = 0; found && i < n; i++) {
        found = dlsym(handle, calls[i].name);
        memcpy(calls[i].to, &found, sizeof found);
    }
    return found;
}
