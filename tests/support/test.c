#include "support/test.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/bytes.h"
#include "support/durability.h"

quire_error test_err;

static struct test_case *cases; /* newest first */
static size_t n_cases;

static char dir[256];
static struct loan {
    struct loan *next;
    max_align_t data[];
} * loans;

void test_register(struct test_case *c)
{
    c->next = cases;
    cases = c;
    n_cases++;
}

/* ---- assertions --------------------------------------------------------- */

void test_status(quire_status got, quire_status want, const char *what,
                 const char *file, int line)
{
    if (got == want)
        return;
    print_error("%s\n    gave %s, not %s", what, quire_status_name(got),
                quire_status_name(want));
    if (got != QUIRE_OK)
        print_error(": %s (%s)", test_err.what, test_err.next);
    print_error("\n");
    _fail(file, line);
}

void test_true(bool cond, const char *what, const char *file, int line)
{
    if (cond)
        return;
    print_error("not so: %s\n", what);
    _fail(file, line);
}

void test_int(int64_t want, int64_t got, const char *what, const char *file,
              int line)
{
    if (want == got)
        return;
    print_error("%s is %lld, not %lld\n", what, (long long)got,
                (long long)want);
    _fail(file, line);
}

void test_bytes(quire_bytes want, quire_bytes got, const char *what,
                const char *file, int line)
{
    size_t i = 0;

    if (bytes_equal(want, got))
        return;
    while (i < want.len && i < got.len &&
           ((const char *)want.data)[i] == ((const char *)got.data)[i])
        i++;
    print_error("%s has %zu bytes, wanted %zu; they differ at byte %zu\n", what,
                got.len, want.len, i);
    if (got.len < 400 && want.len < 400)
        print_error("    got:    %.*s\n    wanted: %.*s\n", (int)got.len,
                    (const char *)got.data, (int)want.len,
                    (const char *)want.data);
    _fail(file, line);
}

void test_text(const char *want, const char *got, const char *what,
               const char *file, int line)
{
    test_bytes(bytes_str(want), got ? bytes_str(got) : bytes_of(NULL, 0), what,
               file, line);
}

void test_has(const char *haystack, const char *needle, const char *what,
              const char *file, int line)
{
    if (strstr(haystack, needle))
        return;
    print_error("%s is\n    %s\nwithout\n    %s\n", what, haystack, needle);
    _fail(file, line);
}

void test_skip(const char *reason, const char *file, int line)
{
    print_message("    %s\n", reason);
    _skip(file, line);
}

/* ---- files and memory of one test --------------------------------------- */

void *test_alloc(size_t len)
{
    struct loan *l = malloc(sizeof *l + len + 1);

    if (!l)
        abort();
    l->next = loans;
    loans = l;
    memset(l->data, 0, len + 1);
    return l->data;
}

const char *test_dir(void)
{
    if (!dir[0]) {
        const char *tmp = getenv("TMPDIR");

        snprintf(dir, sizeof dir, "%s/quire-test-XXXXXX", tmp ? tmp : "/tmp");
        if (!mkdtemp(dir))
            abort();
    }
    return dir;
}

const char *test_path(const char *name)
{
    static char paths[8][512];
    static int turn;
    char *path = paths[turn++ % 8];

    snprintf(path, sizeof paths[0], "%s/%s", test_dir(), name);
    return path;
}

void test_write_file(const char *path, quire_bytes bytes)
{
    FILE *f = fopen(path, "wb");

    if (!f || fwrite(bytes.data, 1, bytes.len, f) != bytes.len || fclose(f)) {
        print_error("cannot write %s: %s\n", path, strerror(errno));
        _fail(__FILE__, __LINE__);
    }
}

quire_bytes test_read_file(const char *path)
{
    struct stat st;
    FILE *f = fopen(path, "rb");
    char *data;

    if (!f || fstat(fileno(f), &st)) {
        print_error("cannot read %s: %s\n", path, strerror(errno));
        _fail(__FILE__, __LINE__);
    }
    data = test_alloc((size_t)st.st_size);
    if (fread(data, 1, (size_t)st.st_size, f) != (size_t)st.st_size)
        abort();
    fclose(f);
    return bytes_of(data, (size_t)st.st_size);
}

bool test_exists(const char *path)
{
    return access(path, F_OK) == 0;
}

static int counted, litter;

static int count_one(const char *path, const struct stat *st, int type,
                     struct FTW *ftw)
{
    (void)st;
    counted += type == FTW_F;
    litter += !strncmp(path + ftw->base, ".tmp-", 5);
    return 0;
}

bool test_litter(const char *path)
{
    litter = 0;
    nftw(path, count_one, 16, FTW_PHYS);
    return litter > 0;
}

int test_count_files(const char *path)
{
    counted = 0;
    nftw(path, count_one, 16, FTW_PHYS);
    return counted;
}

static int remove_one(const char *path, const struct stat *st, int type,
                      struct FTW *ftw)
{
    (void)st;
    (void)type;
    (void)ftw;
    return remove(path);
}

void test_forget_dir(void)
{
    if (dir[0])
        nftw(dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    dir[0] = '\0';
}

static int teardown(void **state)
{
    (void)state;
    fault_disarm();
    sqlite_faults(false);
    lasting_watch(false);
    test_forget_dir();
    while (loans) {
        struct loan *next = loans->next;

        free(loans);
        loans = next;
    }
    memset(&test_err, 0, sizeof test_err);
    return 0;
}

/* ---- content ------------------------------------------------------------ */

static uint64_t next_random(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

void test_noise(uint64_t seed, void *out, size_t len)
{
    unsigned char *p = out;

    while (len--)
        *p++ = (unsigned char)next_random(&seed);
}

void test_prose(uint64_t seed, char *out, size_t len)
{
    static const char *const words[] = {
        "static ",  "return ", "error: ", "  const ", "src/main.c:", "the ",
        "session ", "42",      "\n",      "{\n",      "}\n",         "build ",
        "passed\n", "0x7f",    "warning", " unused ", "value ",      "=> ",
    };
    size_t at = 0;

    while (at < len) {
        const char *w =
            words[next_random(&seed) % (sizeof words / sizeof *words)];

        while (*w && at < len)
            out[at++] = *w++;
    }
}

/* ---- running ------------------------------------------------------------ */

static double now_s(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* A line "SECONDS NAME" for the list of the slowest, where tests/run-all wants
 * one. */
static void report_time(const char *name, double seconds)
{
    const char *path = getenv("TEST_TIMES");
    FILE *f = path ? fopen(path, "a") : NULL;

    if (!f)
        return;
    fprintf(f, "%.2f %s\n", seconds, name);
    fclose(f);
}

static void run_case(void **state)
{
    const struct test_case *c = *state;
    double begun = now_s();

    c->run();
    report_time(c->name, now_s() - begun);
}

/* Which tests to run: with -t NAME the one of this name, with -k WORD those whose
 * name contains it; of these, with more arguments, those whose file or name
 * contains one of them. */
struct selection {
    const char *name; /* NULL: any */
    const char *word; /* NULL: any */
    char **parts;     /* ended by NULL; empty: any */
    bool list;        /* print "FILE NAME" instead of running */
};

static bool is_selected(const struct test_case *c, const struct selection *s)
{
    char **part = s->parts;

    if (s->name && strcmp(c->name, s->name) != 0)
        return false;
    if (s->word && !strstr(c->name, s->word))
        return false;
    if (!*part)
        return true;
    for (; *part; part++) {
        if (strstr(c->name, *part) || strstr(c->file, *part))
            return true;
    }
    return false;
}

static struct selection read_arguments(char **argv)
{
    struct selection s = {.word = NULL};

    for (argv++; *argv && **argv == '-'; argv++) {
        if (!strcmp(*argv, "--list"))
            s.list = true;
        else if (!strcmp(*argv, "-k") && argv[1])
            s.word = *++argv;
        else if (!strcmp(*argv, "-t") && argv[1])
            s.name = *++argv;
        else {
            fprintf(stderr,
                    "usage: unit [--list] [-t NAME] [-k WORD] [PART...]\n");
            exit(2);
        }
    }
    s.parts = argv;
    return s;
}

int main(int argc, char **argv)
{
    struct selection selection = read_arguments(argv);
    struct CMUnitTest *tests = calloc(n_cases + 1, sizeof *tests);
    struct test_case *c;
    size_t n = 0;
    int failed;

    (void)argc;
    for (c = cases; c; c = c->next) {
        if (!is_selected(c, &selection))
            continue;
        if (selection.list)
            printf("%s %s\n", c->file, c->name);
        else
            tests[n++] = (struct CMUnitTest){c->name, run_case, NULL, teardown,
                                             c};
    }
    if (selection.list) {
        free(tests);
        return 0;
    }
    failed = _cmocka_run_group_tests("unit", tests, n, NULL, NULL);
    free(tests);
    return n == 0 || failed != 0;
}
