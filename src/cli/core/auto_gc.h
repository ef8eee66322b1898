/* auto_gc.h - a collection that nobody waits for */
#ifndef CLI_CORE_AUTO_GC_H
#define CLI_CORE_AUTO_GC_H

/* Start `quire gc` on a home, detached and quiet, as a process of its own. What
 * goes wrong with that is nobody's business. */
void auto_gc_start(const char *home);

#endif
