/* durability.h - watching what would survive a power cut; see lasting.c */
#ifndef TESTS_SUPPORT_DURABILITY_H
#define TESTS_SUPPORT_DURABILITY_H

#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

void lasting_watch(bool yes);

/* How many files and directories a power cut would harm now, and how often a
 * file was named before its bytes were safe. */
size_t lasting_marked(void);
int lasting_breaches(void);

/* Something was written to what is open at `fd`: by wrap.c, or by a test that
 * plays another program. */
void lasting_mark(int fd);

/* For wrap.c. */
void lasting_synced(int fd);
void lasting_all_synced(void);
void lasting_named(int dir, const char *path, bool follow);
int __real_fstat(int fd, struct stat *st);
int __real_fstatat(int dir, const char *path, struct stat *st, int flags);

#endif
