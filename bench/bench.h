/*
 * bench.h - what the measurements share
 *
 * A measurement puts what Quire does beside the least that the same work
 * could cost: the hash library alone, the codec alone, an empty program. Both
 * are timed in the same run, in turns, because the speed of a machine drifts
 * more within a minute than most changes are worth. What is compared is the
 * ratio of the two medians; absolute numbers are for the curious.
 *
 * Times are wall clock. No repetition is dropped.
 */
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "quire.h"

struct bench {
    bool quick; /* small counts: does it run at all? */
    bool json;  /* one object a line                 */
    char *const *words;
    int n_words;         /* 0: everything                    */
    const char *scratch; /* a directory of ours              */
    const char *quire;   /* the program, beside this one     */
    bool had_head;       /* the column titles are printed    */
};

/* ---- report.c ----------------------------------------------------------- */

double now_s(void);

/* Readings of a thing and of its limit, taken in turns. */
enum { READINGS_MAX = 1024 };

struct readings {
    double value[READINGS_MAX];
    double limit[READINGS_MAX];
    int n;
};

void readings_add(struct readings *r, double value, double limit);

enum need {
    NEED_NOTHING, /* for information                     */
    NEED_RATIO,   /* value / limit at least so much      */
    NEED_BELOW,   /* value / limit at most so much       */
    NEED_WITHIN,  /* value - limit at most so much       */
};

struct line {
    const char *name;
    const char *unit;
    const char *limit_is; /* what the limit is; NULL: there is none */
    enum need need;
    double needed;
};

/* Whether a line of this name was asked for. */
bool bench_wants(const struct bench *b, const char *name);

/* Print a line, if it was asked for. */
void report(struct bench *b, struct line line, const struct readings *r);

/* Print something worth knowing beside the line `name`. */
void report_note(struct bench *b, const char *name, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* The measurement cannot go on: say why, and end the program. */
void bench_fail(const char *fmt, ...)
    __attribute__((format(printf, 1, 2), noreturn));

/* End the program unless `status` is QUIRE_OK. */
void bench_ok(quire_status status, const quire_error *err);

/* ---- text.c ------------------------------------------------------------- */

/* Replace the content of `out` by `len` bytes that read like a program. The
 * same seed gives the same text, another seed another text. Deflate shrinks
 * it to about a quarter, as it does with real source. */
void text_code(struct buf *out, uint64_t seed, size_t len);

/* The same for what a tool would print: compiler messages, file listings,
 * JSON, numbered source, search results, a line of success. */
void text_output(struct buf *out, uint64_t seed, size_t len);

/* How long such a thing is, as found in real sessions: a quarter is a line of
 * success, half is below 748 bytes, one in a hundred above 36 KB. `permille`:
 * so many of a thousand are shorter. */
size_t text_output_size(int permille);

/* `len` bytes that do not shrink. */
void text_noise(struct buf *out, uint64_t seed, size_t len);

/* Random numbers, the same in every run. */
uint64_t text_rnd(uint64_t *state, uint64_t below);

/* ---- place.c ------------------------------------------------------------ */

/* "<scratch>/<name>", to be freed. */
char *place_path(const struct bench *b, const char *name);

/* Remove `name` from the scratch directory, with all that is in it. */
void place_clear(const struct bench *b, const char *name);

/* Open a store in the scratch directory: a home of our own for `packed`, a
 * blobs directory for the other layouts. `clock_us` (may be NULL) points to
 * the time it is to believe. */
quire *place_store(const struct bench *b, const char *name, quire_layout layout,
                   int64_t *clock_us);

/* A home once more, for another thread: shares the commit queue of `peer`
 * (NULL: the first). */
quire *place_peer(const struct bench *b, const char *name, quire *peer);

/* Run a program to its end and give its exit status. Its output goes to the
 * file `out`, or nowhere if that is NULL; `env` NULL: ours. */
int place_run(char *const *argv, char *const *env, const char *out);

/* Up to `n` numbers that a program prints; false if it fails. */
bool place_numbers(const struct bench *b, char *const *argv, double *out,
                   int n);

/* ---- the themes --------------------------------------------------------- */

/* One measurement: the names of the lines it can print, ended by NULL. It runs
 * when one of them was asked for. */
struct measure {
    void (*run)(struct bench *b);
    const char *names[16];
};

/* Each list ends with an entry without a function. */
extern const struct measure blob_measures[];
extern const struct measure import_measures[];
extern const struct measure small_measures[];
extern const struct measure process_measures[];
extern const struct measure json_measures[];
extern const struct measure output_measures[];
extern const struct measure put_measures[];
extern const struct measure search_measures[];
extern const struct measure everything_measures[];
extern const struct measure memory_measures[];
extern const struct measure collect_measures[];
extern const struct measure check_measures[];
extern const struct measure workspace_measures[];
extern const struct measure tool_measures[];
extern const struct measure mcp_measures[];
extern const struct measure serve_measures[];
extern const struct measure s3_measures[];

/* The way `bench --peak RESULT OUT PROGRAM ARG...` is answered: see
 * process_bench.c. */
int process_peak(char **argv);

/* Run a program, at most ten words, with its output in the file `out`: the peak of its
 * memory in MiB, and how long it took. */
double peak_mib(const struct bench *b, char **command, const char *out,
                double *took);

#endif
