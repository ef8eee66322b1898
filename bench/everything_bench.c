/*
 * everything_bench.c - one search over sessions, beside ripgrep and FTS5
 *
 * The texts are pieces of the source code and documents on this machine, as messages
 * and results of tools in sessions of a megabyte: 100 MB, then 1 GB. Where the files
 * do not suffice they are used again with other words in them.
 *
 * ripgrep searches the same files, in the page cache, with all processors. FTS5
 * (unicode61, contentless) indexes the same texts in one transaction.
 */
#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/json.h"
#include "bench.h"
#include "peer.h"

#define BUILD_CPU "search, build, processor time"
#define SIZE      "search, size of the index"
#define RARE      "search, rare word"
#define TWO       "search, two words over everything"
#define PHRASE    "search, phrase"
#define NEWEST    "search, common word, newest"
#define RANKED    "search, common word, ranked"
#define PREFIX    "search, two letters while typing"
#define PART      "search, part of a word"
#define REGEX     "search, expression with a literal"
#define SCAN      "search, expression without a literal"
#define CJK       "search, two Chinese characters"
#define FRESH     "search, entry just appended"
#define BUILD_MIB "search, memory of the first build"
#define QUERY_MIB "search, memory of a query"

enum { SESSION_BYTES = 1000 * 1000, FILES_MAX = 20000 };

/* ---- texts ------------------------------------------------------------------ */

struct corpus {
    char *files[FILES_MAX];
    size_t n_files, at;
    char *text; /* of the current file */
    size_t len, used;
    unsigned round;
    uint64_t rnd;
    uint64_t text_bytes;
    struct buf *copies; /* texts for FTS5, each with its length; NULL: none */
};

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void find_files(struct corpus *c, const char *dir, int depth)
{
    static const char *const ends[] = {".h", ".c", ".py", ".pm", ".md", ".txt"};
    DIR *d = opendir(dir);
    struct dirent *e;
    char path[1024];
    size_t i;

    while (d && c->n_files < FILES_MAX && (e = readdir(d))) {
        const char *end = strrchr(e->d_name, '.');

        if (e->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "%s/%s", dir, e->d_name);
        if (e->d_type == DT_DIR && depth < 12)
            find_files(c, path, depth + 1);
        for (i = 0; e->d_type == DT_REG && end &&
                    i < sizeof ends / sizeof *ends && c->n_files < FILES_MAX;
             i++)
            if (!strcmp(end, ends[i]))
                c->files[c->n_files++] = strdup(path);
    }
    if (d)
        closedir(d);
}

static void open_corpus(struct corpus *c)
{
    static const char *const roots[] = {"/usr/include",
                                        "/usr/lib/python3",
                                        "/usr/lib/python3.11",
                                        "/usr/share/perl",
                                        "/usr/lib/gcc",
                                        "/usr/lib/llvm-14/include",
                                        "src"};
    size_t i;

    for (i = 0; i < sizeof roots / sizeof *roots; i++)
        find_files(c, roots[i], 0);
    if (c->n_files < 100)
        bench_fail("there are too few files to search");
    qsort(c->files, c->n_files, sizeof *c->files, by_name);
    c->rnd = 7;
    /* Neighbours are alike: mix them. */
    for (i = c->n_files; i > 1; i--) {
        size_t k = text_rnd(&c->rnd, i);
        char *swap = c->files[k];

        c->files[k] = c->files[i - 1];
        c->files[i - 1] = swap;
    }
}

static void next_file(struct corpus *c)
{
    struct stat s;
    int fd;

    free(c->text);
    c->text = NULL;
    c->len = c->used = 0;
    while (!c->text) {
        if (c->at == c->n_files) {
            c->at = 0;
            c->round++;
        }
        fd = open(c->files[c->at++], O_RDONLY | O_CLOEXEC);
        if (fd >= 0 && fstat(fd, &s) == 0 && s.st_size > 0 &&
            s.st_size < 4000000) {
            c->text = malloc((size_t)s.st_size);
            if (c->text &&
                read(fd, c->text, (size_t)s.st_size) == (ssize_t)s.st_size)
                c->len = (size_t)s.st_size;
        }
        if (fd >= 0)
            close(fd);
        if (c->len == 0) {
            free(c->text);
            c->text = NULL;
        }
    }
}

/* The next piece, about as long as outputs are. */
static void next_piece(struct corpus *c, struct buf *out)
{
    size_t n = text_output_size((int)text_rnd(&c->rnd, 1000));

    if (c->used == c->len)
        next_file(c);
    n = n < 200 ? 200 : n;
    n = n < c->len - c->used ? n : c->len - c->used;
    buf_clear(out);
    buf_add(out, c->text + c->used, n);
    if (c->round)
        buf_addf(out, " again%u %llx", c->round,
                 (unsigned long long)text_rnd(&c->rnd, UINT32_MAX));
    c->used += n;
}

/* ---- sessions ------------------------------------------------------------------ */

static void add_line(struct corpus *c, struct buf *line, struct buf *piece,
                     uint64_t n, uint64_t second)
{
    static const char *const tools[] = {"read", "bash", "grep"};
    bool user = n % 5 == 0;

    if (user && n % 50 == 0)
        buf_add_str(piece, " 全文检索支持中文");
    if (n == 97 && second % 5 == 2)
        buf_add_str(piece, " a seldom lantern vwxyz123q");
    buf_addf(line, "{\"type\":\"message\",\"id\":\"%08llx\",\"parentId\":",
             (unsigned long long)n);
    if (n == 1)
        buf_add_str(line, "null");
    else
        buf_addf(line, "\"%08llx\"", (unsigned long long)n - 1);
    buf_addf(line,
             ",\"timestamp\":\"2026-02-%02lluT%02llu:%02llu:%02llu.000Z\","
             "\"message\":",
             (unsigned long long)(second / 86400 % 28 + 1),
             (unsigned long long)(second / 3600 % 24),
             (unsigned long long)(second / 60 % 60),
             (unsigned long long)(second % 60));
    if (user)
        buf_add_str(line, "{\"role\":\"user\",\"content\":");
    else
        buf_addf(line,
                 "{\"role\":\"toolResult\",\"toolName\":\"%s\",\"content\":"
                 "[{\"type\":\"text\",\"text\":",
                 tools[n % 3]);
    json_add_quoted(line, buf_bytes(piece));
    buf_add_str(line, user ? "}}\n" : "}]}}\n");
    c->text_bytes += piece->len;
    if (c->copies) {
        buf_add(c->copies, &piece->len, sizeof piece->len);
        buf_add(c->copies, piece->data, piece->len);
    }
}

static void write_session(struct corpus *c, const char *dir, uint64_t number)
{
    struct buf line = BUF_INIT((size_t)1 << 30), piece = BUF_INIT(1 << 24);
    char path[1024];
    uint64_t n;
    FILE *f;

    buf_addf(&line,
             "{\"type\":\"session\",\"version\":3,\"id\":\"s%06llu\","
             "\"timestamp\":\"2026-02-01T00:00:00.000Z\","
             "\"cwd\":\"/srv/p%llu\",\"title\":\"part %llu\"}\n",
             (unsigned long long)number, (unsigned long long)number % 17,
             (unsigned long long)number);
    for (n = 1; line.len < SESSION_BYTES; n++) {
        next_piece(c, &piece);
        add_line(c, &line, &piece, n, number * 600 + n);
    }
    if (snprintf(path, sizeof path, "%s/2026-02-01T00-00-00-000Z_s%06llu.jsonl",
                 dir, (unsigned long long)number) >= (int)sizeof path)
        bench_fail("%s is too long", dir);
    f = fopen(path, "w");
    if (!f || line.failed || fwrite(line.data, 1, line.len, f) != line.len ||
        fclose(f))
        bench_fail("cannot write %s", path);
    buf_release(&piece);
    buf_release(&line);
}

static void make_home(const struct bench *b, const char *name, struct corpus *c,
                      uint64_t bytes)
{
    char *home = place_path(b, name), dir[1024];
    uint64_t i;

    place_clear(b, name);
    snprintf(dir, sizeof dir, "%s/sessions/--srv--", home);
    mkdir(home, 0700);
    snprintf(dir, sizeof dir, "%s/sessions", home);
    mkdir(dir, 0700);
    snprintf(dir, sizeof dir, "%s/sessions/--srv--", home);
    mkdir(dir, 0700);
    for (i = 0; i * SESSION_BYTES < bytes; i++)
        write_session(c, dir, i + 1);
    free(home);
}

/* ---- the others ------------------------------------------------------------------ */

static double cpu_s(void)
{
    struct rusage r;

    getrusage(RUSAGE_SELF, &r);
    return (double)(r.ru_utime.tv_sec + r.ru_stime.tv_sec) +
           (double)(r.ru_utime.tv_usec + r.ru_stime.tv_usec) / 1e6;
}

/* Seconds that ripgrep takes to write the matches to the file `out`: into /dev/null it
 * would stop at the first. */
static double ripgrep(const char *dir, const char *pattern, bool regex,
                      const char *out)
{
    const char *const words[] =
        {"rg",    "--no-config", "-a", "-i", regex ? "-e" : "-Fe",
         pattern, "--no-ignore", dir};
    char *argv[9] = {NULL};
    double start;
    size_t i;
    int code;

    for (i = 0; i < 8; i++)
        argv[i] = peer_arg(words[i]);
    start = now_s();
    code = place_run(argv, NULL, out);
    if (code != 0 && code != 1)
        bench_fail("ripgrep (rg) is needed for this measurement");
    return now_s() - start;
}

static void fts_exec(sqlite3 *db, const char *sql)
{
    if (sqlite3_exec(db, sql, NULL, NULL, NULL) != SQLITE_OK)
        bench_fail("SQLite: %s", sqlite3_errmsg(db));
}

/* Index the copies with FTS5; processor seconds. */
static double fts_build(const char *path, const struct buf *copies,
                        sqlite3 **out)
{
    sqlite3_stmt *s = NULL;
    double start = cpu_s();
    size_t at = 0, len;

    unlink(path);
    if (sqlite3_open(path, out) != SQLITE_OK)
        bench_fail("cannot open %s", path);
    fts_exec(*out, "PRAGMA journal_mode=off; PRAGMA synchronous=off;"
                   "CREATE VIRTUAL TABLE t USING fts5(x, content='');BEGIN");
    sqlite3_prepare_v2(*out, "INSERT INTO t(x) VALUES(?1)", -1, &s, NULL);
    while (at < copies->len) {
        memcpy(&len, copies->data + at, sizeof len);
        at += sizeof len;
        sqlite3_bind_text(s, 1, copies->data + at, (int)len, SQLITE_STATIC);
        if (sqlite3_step(s) != SQLITE_DONE)
            bench_fail("SQLite: %s", sqlite3_errmsg(*out));
        sqlite3_reset(s);
        at += len;
    }
    sqlite3_finalize(s);
    fts_exec(*out, "COMMIT");
    return cpu_s() - start;
}

static double fts_ranked(sqlite3 *db, const char *word)
{
    sqlite3_stmt *s = NULL;
    double start = now_s();

    sqlite3_prepare_v2(db,
                       "SELECT rowid FROM t WHERE t MATCH ?1"
                       " ORDER BY bm25(t) LIMIT 20",
                       -1, &s, NULL);
    sqlite3_bind_text(s, 1, word, -1, SQLITE_STATIC);
    while (sqlite3_step(s) == SQLITE_ROW)
        continue;
    sqlite3_finalize(s);
    return now_s() - start;
}

/* ---- queries ----------------------------------------------------------------------- */

static quire_status count_hit(void *ctx, const quire_search_hit *hit,
                              quire_error *err)
{
    (void)hit, (void)err;
    ++*(int *)ctx;
    return QUIRE_OK;
}

/* Seconds for the first page with its snippets. */
static double ask(quire *q, const char *query, quire_search_sort sort)
{
    quire_search_options o = QUIRE_SEARCH_OPTIONS_INIT;
    double start = now_s();
    quire_error err;
    int n = 0;

    o.sort = sort;
    o.flat = 1;
    bench_ok(quire_search(q, bytes_str(query), &o, count_hit, &n, NULL, &err),
             &err);
    if (n == 0)
        bench_fail("no hit for %s", query);
    return now_s() - start;
}

struct question {
    const char *name;    /* of the line */
    const char *query;   /* ours */
    const char *pattern; /* ripgrep's */
    bool regex;
    quire_search_sort sort;
    double small, large; /* at most so much of ripgrep, at 100 MB and 1 GB */
};

static const struct question questions[] = {
    {RARE, "lantern", "lantern", false, QUIRE_SEARCH_RANK, 1 / 20.0, 1 / 200.0},
    {TWO, "seldom lantern", "seldom.*lantern|lantern.*seldom", true,
     QUIRE_SEARCH_RANK, 1 / 20.0, 1 / 200.0},
    {PHRASE, "\"unsigned long long\"", "unsigned long long", false,
     QUIRE_SEARCH_RANK, 1 / 20.0, 1 / 200.0},
    {NEWEST, "return", "return", false, QUIRE_SEARCH_NEWEST, 1 / 50.0,
     1 / 50.0},
    {PART, "*eldo*", "eldo", false, QUIRE_SEARCH_RANK, 1 / 5.0, 1 / 5.0},
    {REGEX, "/sel[a-z]om lant/", "sel[a-z]om lant", true, QUIRE_SEARCH_RANK,
     1 / 5.0, 1 / 5.0},
    {SCAN, "/[v-z]{5}[0-9]{3}q/", "[v-z]{5}[0-9]{3}q", true, QUIRE_SEARCH_RANK,
     1.5, 1.5},
    {CJK, "检索", "检索", false, QUIRE_SEARCH_RANK, 1 / 5.0, 1 / 5.0},
};

static void report_at(struct bench *b, const char *name, const char *size,
                      const char *limit, enum need need, double needed,
                      const struct readings *r, const char *unit)
{
    char title[128];

    snprintf(title, sizeof title, "%s, %s", name, size);
    report(b, (struct line){title, unit, limit, need, needed}, r);
}

static void ask_all(struct bench *b, quire *q, const char *dir,
                    const char *size, bool large)
{
    int rounds = b->quick ? 2 : large ? 5 : 9, k;
    char *out = place_path(b, "ripgrep.out");
    size_t i;

    for (i = 0; i < sizeof questions / sizeof *questions; i++) {
        const struct question *x = &questions[i];
        struct readings r = {.n = 0};

        for (k = 0; k < rounds; k++)
            readings_add(&r, 1e3 * ask(q, x->query, x->sort),
                         1e3 * ripgrep(dir, x->pattern, x->regex, out));
        report_at(b, x->name, size, "ripgrep", NEED_BELOW,
                  large ? x->large : x->small, &r, "ms");
    }
    unlink(out);
    free(out);
}

/* The 95th of a hundred two-letter prefixes. */
static void ask_prefixes(struct bench *b, quire *q, const char *size,
                         bool large)
{
    static const char letters[] = "setiacorpn";
    double times[100];
    struct readings r = {.n = 0};
    int i, k, n = 0;

    for (i = 0; i < 10; i++)
        for (k = 0; k < 10; k++) {
            char query[8];
            double t, at;
            int m;

            snprintf(query, sizeof query, "%c%c*", letters[i], letters[k]);
            t = ask(q, query, QUIRE_SEARCH_RANK);
            for (m = n++; m > 0 && times[m - 1] > t; m--)
                times[m] = times[m - 1];
            at = t;
            times[m] = at;
        }
    readings_add(&r, 1e3 * times[94], large ? 30 : 10);
    report_at(b, PREFIX, size, "95 of 100 below", NEED_BELOW, 1, &r, "ms");
}

/* Append an entry, and search for a word of it. */
static void ask_fresh(struct bench *b, quire *q, const char *size)
{
    quire_session_options o = QUIRE_SESSION_OPTIONS_INIT;
    struct readings r = {.n = 0};
    quire_session *s;
    quire_error err;
    int i;

    bench_ok(quire_session_open(q, "s000001", &o, &s, &err), &err);
    for (i = 0; i < (b->quick ? 2 : 9); i++) {
        char entry[256], word[32];
        double start;

        snprintf(word, sizeof word, "freshly%dx", i);
        snprintf(entry, sizeof entry,
                 "{\"type\":\"message\",\"message\":{\"role\":\"user\","
                 "\"content\":\"%s\"}}",
                 word);
        start = now_s();
        bench_ok(quire_session_append(s, bytes_str(entry), NULL, NULL, &err),
                 &err);
        bench_ok(quire_session_flush(s, &err), &err);
        ask(q, word, QUIRE_SEARCH_RANK);
        readings_add(&r, 1e3 * (now_s() - start), 100);
    }
    quire_session_close(s);
    report_at(b, FRESH, size, "at most", NEED_BELOW, 1, &r, "ms");
}

/* ---- both sizes ---------------------------------------------------------------------- */

static void build_index(struct bench *b, quire *q, const char *size,
                        const struct corpus *c, double fts_s)
{
    struct readings cpu = {.n = 0}, bytes = {.n = 0};
    quire_search_stats stats;
    double start = cpu_s();
    quire_error err;
    int more = 1;

    while (more)
        bench_ok(quire_search_update(q, &more, &err), &err);
    readings_add(&cpu, cpu_s() - start, fts_s);
    report_at(b, BUILD_CPU, size, fts_s > 0 ? "FTS5 unicode61" : NULL,
              fts_s > 0 ? NEED_BELOW : NEED_NOTHING, 1.5, &cpu, "s");
    bench_ok(quire_search_describe(q, &stats, &err), &err);
    readings_add(&bytes, (double)stats.bytes / 1e6,
                 (double)c->text_bytes / 1e6);
    report_at(b, SIZE, size, "text", NEED_BELOW, 0.5, &bytes, "MB");
}

/* As a server opens it: files are looked at when some of them have changed. */
static quire *open_watched(const char *home, quire_search_watch **watch)
{
    quire_options o = QUIRE_OPTIONS_INIT;
    quire_error err;
    quire *q;

    bench_ok(quire_search_watch_new(watch, &err), &err);
    o.home = home;
    o.kind = QUIRE_KIND_NATIVE;
    o.search_watch = *watch;
    bench_ok(quire_open(&o, &q, &err), &err);
    return q;
}

static void measure_size(struct bench *b, const char *size, uint64_t bytes,
                         bool large)
{
    struct corpus *c = calloc(1, sizeof *c);
    struct buf copies = BUF_INIT(SIZE_MAX);
    char *home = place_path(b, "everything"), dir[1024], path[1024];
    sqlite3 *fts = NULL;
    double fts_s = 0;
    size_t i;
    int k;
    quire_search_watch *watch;
    quire *q;

    if (!c || !home)
        bench_fail("out of memory");
    c->copies = large ? NULL : &copies;
    open_corpus(c);
    make_home(b, "everything", c, bytes);
    snprintf(dir, sizeof dir, "%s/sessions", home);
    snprintf(path, sizeof path, "%s/fts.db", b->scratch);
    if (!large)
        fts_s = fts_build(path, &copies, &fts);
    q = open_watched(home, &watch);
    build_index(b, q, size, c, fts_s);
    ask_all(b, q, dir, size, large);
    if (fts) {
        struct readings r = {.n = 0};

        for (k = 0; k < (b->quick ? 2 : 9); k++)
            readings_add(&r, 1e3 * ask(q, "return", QUIRE_SEARCH_RANK),
                         1e3 * fts_ranked(fts, "return"));
        report_at(b, RANKED, size, "FTS5 bm25", NEED_BELOW, 0.25, &r, "ms");
        sqlite3_close(fts);
    }
    ask_prefixes(b, q, size, large);
    ask_fresh(b, q, size);
    quire_close(q);
    quire_search_watch_free(watch);
    unlink(path);
    place_clear(b, "everything");
    for (i = 0; i < c->n_files; i++)
        free(c->files[i]);
    free(c->text);
    free(c);
    buf_release(&copies);
    free(home);
}

static double largest; /* segment that was found, in MiB */

static int add_segment(const char *path, const struct stat *s, int type,
                       struct FTW *where)
{
    const char *dot = strrchr(path, '.');
    char beside[1300];
    struct stat other;

    (void)type, (void)where;
    if (!dot || strcmp(dot, ".index") != 0)
        return 0;
    snprintf(beside, sizeof beside, "%.*s.postings", (int)(dot - path), path);
    if (stat(beside, &other) == 0 &&
        (double)(s->st_size + other.st_size) / 1048576 > largest)
        largest = (double)(s->st_size + other.st_size) / 1048576;
    return 0;
}

/* The peak of `quire search`, in MiB. */
static double search_mib(struct bench *b, const char *home, const char *query)
{
    char *search[] = {peer_arg(b->quire),
                      peer_arg("--home"),
                      peer_arg(home),
                      peer_arg("search"),
                      peer_arg("--flat"),
                      peer_arg(query),
                      NULL};
    double took;

    return peak_mib(b, search, "/dev/null", &took);
}

/* A search of a home that has no index, and may not get one, builds it in the user's
 * cache directory. */
static void measure_memory_at(struct bench *b, const char *size, uint64_t bytes)
{
    static const char *const queries[] = {"lantern",
                                          "return",
                                          "\"unsigned long long\"",
                                          "*eldo*",
                                          "/[v-z]{5}[0-9]{3}q/",
                                          "re* OR se*"};
    struct corpus *c = calloc(1, sizeof *c);
    char *home = place_path(b, "everything"), *cache = place_path(b, "cache");
    struct readings first = {.n = 0}, later = {.n = 0};
    double built, one, most = 0;
    size_t i;

    if (!c || !home || !cache)
        bench_fail("out of memory");
    open_corpus(c);
    make_home(b, "everything", c, bytes);
    setenv("XDG_CACHE_HOME", cache, 1);
    built = search_mib(b, home, queries[0]);
    largest = 0;
    nftw(cache, add_segment, 16, FTW_PHYS);
    readings_add(&first, built, 64 + largest);
    report_at(b, BUILD_MIB, size, "64 and a segment", NEED_BELOW, 1, &first,
              "MiB");
    for (i = 0; i < sizeof queries / sizeof *queries; i++) {
        one = search_mib(b, home, queries[i]);
        most = one > most ? one : most;
    }
    readings_add(&later, most, 32);
    report_at(b, QUERY_MIB, size, "what it may take", NEED_BELOW, 1, &later,
              "MiB");
    unsetenv("XDG_CACHE_HOME");
    place_clear(b, "cache");
    place_clear(b, "everything");
    for (i = 0; i < c->n_files; i++)
        free(c->files[i]);
    free(c->text);
    free(c);
    free(cache);
    free(home);
}

static void measure_memory(struct bench *b)
{
    measure_memory_at(b, "100 MB", b->quick ? 3000000 : 100000000);
}

static void measure_large_memory(struct bench *b)
{
    measure_memory_at(b, "1 GB", b->quick ? 5000000 : 1000000000);
}

static void measure_small(struct bench *b)
{
    measure_size(b, "100 MB", b->quick ? 3000000 : 100000000, false);
}

static void measure_large(struct bench *b)
{
    measure_size(b, "1 GB", b->quick ? 5000000 : 1000000000, true);
}

#define AT_100(name)  name ", 100 MB"
#define AT_1000(name) name ", 1 GB"

const struct measure everything_measures[] = {
    {measure_small,
     {AT_100(BUILD_CPU), AT_100(SIZE), AT_100(RARE), AT_100(TWO),
      AT_100(PHRASE), AT_100(NEWEST), AT_100(PART), AT_100(REGEX), AT_100(SCAN),
      AT_100(CJK), AT_100(RANKED), AT_100(PREFIX), AT_100(FRESH), NULL}},
    {measure_large,
     {AT_1000(BUILD_CPU), AT_1000(SIZE), AT_1000(RARE), AT_1000(TWO),
      AT_1000(PHRASE), AT_1000(NEWEST), AT_1000(PART), AT_1000(REGEX),
      AT_1000(SCAN), AT_1000(CJK), AT_1000(PREFIX), AT_1000(FRESH), NULL}},
    {measure_memory, {AT_100(BUILD_MIB), AT_100(QUERY_MIB), NULL}},
    {measure_large_memory, {AT_1000(BUILD_MIB), AT_1000(QUERY_MIB), NULL}},
    {NULL, {NULL}},
};
