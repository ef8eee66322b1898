/*
 * test.h - the few words our tests are written in, over cmocka
 *
 *     TEST(gc_keeps_what_an_unfinished_write_still_needs)
 *     {
 *         ...
 *         OK(blob_put(f.blobs, bytes, &f.err));
 *     }
 *
 * A test is named by the sentence it proves and registers itself; nothing
 * lists it. The names become the report.
 */
#ifndef TESTS_TEST_H
#define TESTS_TEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "quire.h"

struct test_case {
    const char *file;
    const char *name;
    void (*run)(void);
    struct test_case *next;
};

void test_register(struct test_case *c);

#define TEST(sentence)                                                     \
    static void sentence(void);                                            \
    __attribute__((constructor)) static void register_##sentence(void)     \
    {                                                                      \
        static struct test_case c = {__FILE__, #sentence, sentence, NULL}; \
        test_register(&c);                                                 \
    }                                                                      \
    static void sentence(void)

/* The error that OK() shows when a call fails; pass it as `err`. */
extern quire_error test_err;

#define OK(call) test_status((call), QUIRE_OK, #call, __FILE__, __LINE__)
#define IS(status, call) \
    test_status((call), (status), #call, __FILE__, __LINE__)
#define YES(cond) test_true((cond), #cond, __FILE__, __LINE__)
#define NO(cond)  test_true(!(cond), "not: " #cond, __FILE__, __LINE__)
#define EQ(want, got) \
    test_int((int64_t)(want), (int64_t)(got), #got, __FILE__, __LINE__)
#define SAME(want, got)      test_bytes((want), (got), #got, __FILE__, __LINE__)
#define SAME_TEXT(want, got) test_text((want), (got), #got, __FILE__, __LINE__)
#define HAS(haystack, needle) \
    test_has((haystack), (needle), #haystack, __FILE__, __LINE__)

void test_status(quire_status got, quire_status want, const char *what,
                 const char *file, int line);
void test_true(bool cond, const char *what, const char *file, int line);
void test_int(int64_t want, int64_t got, const char *what, const char *file,
              int line);
void test_bytes(quire_bytes want, quire_bytes got, const char *what,
                const char *file, int line);
void test_text(const char *want, const char *got, const char *what,
               const char *file, int line);
void test_has(const char *haystack, const char *needle, const char *what,
              const char *file, int line);

/* End the test and count it as skipped: this machine cannot prove it. */
#define SKIP(reason) test_skip((reason), __FILE__, __LINE__)

void test_skip(const char *reason, const char *file, int line);

/* A fresh empty directory of this test; removed when the test ends. */
const char *test_dir(void);

/* Remove it; the next test_dir() makes another. */
void test_forget_dir(void);

/* "<test_dir>/<name>", in one of eight buffers that take turns. */
const char *test_path(const char *name);

/* Small files for set-up and for looking at results. */
void test_write_file(const char *path, quire_bytes bytes);
quire_bytes test_read_file(const char *path); /* until the test ends */
bool test_exists(const char *path);
int test_count_files(const char *dir); /* below it, hidden ones too  */
bool test_litter(const char *dir);     /* a ".tmp-" file below it    */

/* Deterministic bytes that do not compress, and some that do. */
void test_noise(uint64_t seed, void *out, size_t len);
void test_prose(uint64_t seed, char *out, size_t len);

/* Memory that lives until the test ends. */
void *test_alloc(size_t len);

/* Fault injection, by tests/support/wrap.c. After fault_arm(n) the n-th of
 * our own allocations and system calls fails, or all from the n-th on when
 * `stay`; fault_disarm() tells whether it came to that. */
void fault_arm(long n, int error, bool stay);
bool fault_disarm(void);
/* One more call is made; should it fail? For seams that wrap.c cannot see. */
bool fault_strikes(const char *name);
/* Count SQLite's own allocations and file accesses too. */
void sqlite_faults(bool yes);
/* Which call failed, for messages: "malloc", "write"... */
const char *fault_name(void);

/* Every system call of ours is a place to stop at: `hook` is called before it,
 * from whichever thread; NULL: no longer. */
void stop_each(void (*hook)(const char *name));

/* Who waits (nanosleep) does not, and `hook` hears for how long; NULL: waits. */
void stop_clock(void (*hook)(int64_t us));

#endif
