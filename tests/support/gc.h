/*
 * gc.h - homes that are collected, and what must be true of them
 *
 * Contents have numbers. What refers to them is found here without the code
 * that is tested: by looking through all files of the home, byte by byte, and by
 * asking the tables.
 */
#ifndef TESTS_SUPPORT_GC_H
#define TESTS_SUPPORT_GC_H

#include "support/test.h"

/* A clock that moves when it is told to, or when somebody waits for it. */
extern int64_t collect_now_us;
void collect_clock_start(void); /* about what the time really is */
void collect_clock_stop(void);

/* The test's home ("home"), of this kind; nobody waits for anybody. */
typedef void (*collect_trace_fn)(void *ctx, const char *line);
quire *collect_open(quire_kind kind);
quire *collect_open_as(quire_kind kind, const char *tenant,
                       collect_trace_fn trace, unsigned flags);

/* Content number `n`, until the next call: every third is large. */
enum { COLLECT_CONTENTS = 64 };
quire_bytes collect_content(int n);
const quire_digest *collect_digest(int n);
const char *
collect_ref(int n); /* "blob:sha256:…", in buffers that take turns */

/* An entry with such an image; a session with one, at once, and its path. The
 * status of what failed first. */
quire_status collect_append(quire_session *s, int n);
quire_status collect_session(quire *q, int n, char path[4096]);
quire_status collect_append_to(quire *q, const char *path, int n);

/* What another program writes: a session or conversation that refers to `n`
 * (and to `more`, if that is not -1), over what is there. `name` is its own:
 * the path is "home/<collect_path(kind, name)>". */
const char *collect_path(quire_kind kind, const char *name);
void collect_foreign(quire_kind kind, const char *name, int n, int more);

/* Whether anything refers to each content; whether it is there. */
struct collect_set {
    bool has[COLLECT_CONTENTS];
};
struct collect_set collect_wanted(quire_kind kind);
struct collect_set collect_stored(quire *q);

quire_status collect_run(quire *q, unsigned flags, int64_t grace_s,
                         quire_collect_report *report);

/* What would go, as text; until the test ends. */
const char *collect_list(quire *q, unsigned flags, int64_t grace_s);

/* All that is wanted is there and can be read; the counts are what a full look
 * finds; `what` is for the report. */
void collect_sound(quire_kind kind, const char *what);

/* After time has passed, exactly what is wanted is there. */
void collect_settles(quire_kind kind, const char *what);

#endif
