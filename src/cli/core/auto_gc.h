/* auto_gc.h - a garbage collection in the background */
#ifndef CLI_CORE_AUTO_GC_H
#define CLI_CORE_AUTO_GC_H

/* Start `quire gc` on a home as a detached, silent process. Failures are
 * ignored: the next command tries again. */
void auto_gc_start(const char *home);

#endif
