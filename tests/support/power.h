/* power.h - what a database has after a power cut; see power.c */
#ifndef TESTS_POWER_H
#define TESTS_POWER_H

#include <stdbool.h>
#include <stdint.h>

/* From now on remember what each sync made safe of the databases below `dir`;
 * NULL: no longer. There are none yet. */
void power_watch(const char *dir);

/* Make `to` what `dir` would be after a power cut now: of each file of a
 * database the bytes of its last sync, and of what was written later nothing
 * (seed 0), or some of its pieces. Other files are copied. */
void power_cut(const char *to, uint64_t seed);

/* For sqlite_fault.c: a file was synced. */
void power_synced(const char *path);

#endif
