#include "output/dir.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "store/intercept.h"
#include "support/store.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* ---- the house ---------------------------------------------------------- */

struct room {
    struct store *store;
    struct store inner; /* the same without the hook */
    struct output_dir outdir;
    struct arena keep;
    bool disk;
    /* Somebody else's names, which appear when we have looked. */
    const char *const *between;
    size_t n_between;
};

static quire_status put_file(struct store *s, const char *name,
                             const char *text)
{
    struct draft *d;

    OK(object_create(s->objects, &d, &test_err));
    OK(object_write(d, bytes_str(text), &test_err));
    return object_publish(d, name, true, &test_err);
}

static void after(void *ctx, const char *call, const char *on,
                  quire_status result)
{
    struct room *r = ctx;

    (void)on;
    (void)result;
    if (strcmp(call, "directory scan") != 0)
        return;
    while (r->n_between > 0)
        OK(put_file(&r->inner, r->between[--r->n_between], "theirs"));
}

static void room_open(struct room *r, bool disk)
{
    *r = (struct room){.disk = disk};
    if (disk)
        OK(store_files_open(test_path("home"), false, &r->store, &test_err));
    else
        OK(store_memory_open(&test_clock, &r->store, &test_err));
    r->inner = *r->store;
    OK(store_intercept(r->store, (struct intercept){.after = after, .ctx = r},
                       &test_err));
    r->outdir = (struct output_dir){.store = r->store, .dir = "d"};
}

static void room_close(struct room *r)
{
    if (r->disk)
        NO(test_litter(test_path("home")));
    arena_release(&r->keep);
    store_free(r->store);
    test_forget_dir();
}

static void over_both(void (*body)(struct room *r))
{
    int disk;

    for (disk = 0; disk < 2; disk++) {
        struct room r;

        room_open(&r, disk);
        body(&r);
        room_close(&r);
    }
}

static void stand(struct room *r, const char *base)
{
    char name[300];

    snprintf(name, sizeof name, "d/%s", base);
    OK(put_file(r->store, name, "theirs"));
}

static struct draft *drafted(struct room *r, const char *text)
{
    struct draft *d;

    OK(object_create(r->store->objects, &d, &test_err));
    OK(object_write(d, bytes_str(text), &test_err));
    return d;
}

static void holds(struct room *r, const char *name, const char *text)
{
    struct object_info info;
    struct object *o;
    char buf[64];
    size_t n;

    OK(object_open(r->store->objects, name, &o, &info, &test_err));
    OK(object_read(o, 0, buf, sizeof buf, &n, &test_err));
    SAME(bytes_str(text), bytes_of(buf, n));
    object_close(o);
}

/* A log put here gets this name, and the id that is its number. */
static void log_is(struct room *r, const char *tool, const char *base)
{
    const char *name, *id;
    char want[300];

    OK(output_dir_put_log(&r->outdir, drafted(r, "ours"), tool, &r->keep, &name,
                          &id, &test_err));
    snprintf(want, sizeof want, "%s%s%s", r->outdir.dir,
             *r->outdir.dir ? "/" : "", base);
    SAME_TEXT(want, name);
    SAME(bytes_of(base, strspn(base, "0123456789")), bytes_str(id));
    holds(r, name, "ours");
}

static void report_is(struct room *r, const char *report, const char *parent,
                      const char *want)
{
    const char *name, *id;
    char file[600];

    OK(output_dir_put_report(&r->outdir, drafted(r, "ours"), report, parent,
                             &r->keep, &name, &id, &test_err));
    SAME_TEXT(want, id);
    snprintf(file, sizeof file, "d/%s.md", want);
    SAME_TEXT(file, name);
    holds(r, name, "ours");
}

/* ---- names -------------------------------------------------------------- */

static void cleans(const char *text, const char *want)
{
    char got[OUTPUT_DIR_NAME_SIZE];

    output_dir_clean_name(text, "tool", got);
    SAME_TEXT(want, got);
}

TEST(output_dir_makes_a_name_fit_for_a_file)
{
    static const char sixty[] =
        "0123456789012345678901234567890123456789012345678901234567890123";

    cleans("bash", "bash");
    cleans("Az09_-", "Az09_-");
    cleans("", "tool");
    cleans("...", "tool");
    cleans("___", "tool");
    cleans("-", "-");
    cleans("a b", "a_b");
    cleans("a  /.. b", "a_b");
    cleans(" a ", "a");
    cleans("_a_", "a");
    cleans("a__b", "a__b");
    cleans("a_ _b", "a___b");
    cleans("../../x", "x");
    cleans("gr\xc3\xbc\xc3\x9f"
           "e",
           "gr_e");
    cleans("\x01\x02\n", "tool");
    cleans(sixty, sixty);
    EQ(64, strlen(sixty));
}

TEST(output_dir_makes_no_name_longer_than_it_says)
{
    char text[300], got[OUTPUT_DIR_NAME_SIZE];
    size_t n;

    for (n = 60; n < 200; n++) {
        memset(text, 'x', n);
        text[n] = '\0';
        output_dir_clean_name(text, "tool", got);
        EQ(n < 64 ? n : 64, strlen(got));
        text[63] = '/'; /* the last one that there is room for */
        output_dir_clean_name(text, "tool", got);
        EQ(n < 63 ? n : 63, strlen(got));
    }
}

/* ---- numbering ---------------------------------------------------------- */

static void counting(struct room *r)
{
    log_is(r, "bash", "0.bash.log");
    log_is(r, "python", "1.python.log");
    log_is(r, "bash", "2.bash.log");
    r->outdir.dir = "e";
    log_is(r, "bash", "0.bash.log");
    r->outdir.dir = "";
    log_is(r, "bash", "0.bash.log");
}

TEST(output_dir_numbers_logs_in_turn)
{
    over_both(counting);
}

static void gaps(struct room *r)
{
    stand(r, "0.bash.log");
    stand(r, "7.bash.log");
    log_is(r, "bash", "8.bash.log");
    OK(object_remove(r->store->objects, "d/0.bash.log", &test_err));
    log_is(r, "bash", "9.bash.log");
}

TEST(output_dir_fills_no_gaps)
{
    over_both(gaps);
}

static void others(struct room *r)
{
    stand(r, "notes.txt");
    stand(r, "x9.bash.log");
    stand(r, "-3.bash.log");
    stand(r, "4-Scout.md");
    stand(r, "6");
    stand(r, "6bash.log");
    log_is(r, "bash", "0.bash.log");
    stand(r, "3.png");
    log_is(r, "bash", "4.bash.log");
    stand(r, "5.deep/er/x"); /* a directory */
    log_is(r, "bash", "6.bash.log");
    stand(r, "0007.bash.log");
    log_is(r, "bash", "8.bash.log");
}

TEST(output_dir_takes_no_number_that_another_file_has)
{
    over_both(others);
}

static void huge(struct room *r)
{
    stand(r, "99999999999999999999.bash.log");
    stand(r, "18446744073709551615.bash.log");
    stand(r, "1000000000000000000000000000.bash.log");
    log_is(r, "bash", "0.bash.log");
    stand(r, "99999999999998.bash.log");
    log_is(r, "bash", "99999999999999.bash.log");
    log_is(r, "bash", "100000000000000.bash.log");
}

TEST(output_dir_is_not_led_astray_by_huge_numbers)
{
    over_both(huge);
}

static void largest(struct room *r)
{
    static const char *const tools[] = {"bash", "python"};
    const char *name, *id;
    size_t i;

    stand(r, "999999999999998.bash.log");
    log_is(r, "bash", "999999999999999.bash.log");
    for (i = 0; i < COUNT(tools); i++) {
        IS(QUIRE_INVALID,
           output_dir_put_log(&r->outdir, drafted(r, "ours"), tools[i],
                              &r->keep, &name, &id, &test_err));
        HAS(test_err.what, "number");
    }
    holds(r, "d/999999999999999.bash.log", "ours");
    report_is(r, "Scout", NULL, "0-Scout"); /* counts apart */
}

TEST(output_dir_gives_no_number_twice_when_there_is_no_larger_one)
{
    over_both(largest);
}

static void in_between(struct room *r)
{
    static const char *const theirs[] = {"d/0.bash.log", "d/1.bash.log"};
    static const char *const report[] = {"d/0-Scout.md"};

    r->between = theirs;
    r->n_between = 2;
    log_is(r, "bash", "2.bash.log");
    holds(r, "d/0.bash.log", "theirs");
    holds(r, "d/1.bash.log", "theirs");
    r->between = report;
    r->n_between = 1;
    report_is(r, "Scout", NULL, "1-Scout");
    holds(r, "d/0-Scout.md", "theirs");
}

TEST(output_dir_goes_on_when_somebody_took_the_name_meanwhile)
{
    over_both(in_between);
}

/* ---- reports ------------------------------------------------------------ */

static void reports(struct room *r)
{
    report_is(r, "Scout", NULL, "0-Scout");
    report_is(r, "Scout", NULL, "1-Scout");
    report_is(r, "Reader", "0-Scout", "0-Scout.0-Reader");
    report_is(r, "Reader", "0-Scout", "0-Scout.1-Reader");
    report_is(r, "Reader", "1-Scout", "1-Scout.0-Reader");
    report_is(r, "Deep", "0-Scout.0-Reader", "0-Scout.0-Reader.0-Deep");
    report_is(r, "Deep", "0-Scout", "0-Scout.2-Deep");
    report_is(r, "Deep", "not-there-yet", "not-there-yet.0-Deep");
    report_is(r, "Last", NULL, "2-Last");
    report_is(r, "", NULL, "3-agent");
    report_is(r, "../x y", NULL, "4-x_y");
    /* logs and reports count apart */
    log_is(r, "bash", "0.bash.log");
    report_is(r, "Scout", NULL, "5-Scout");
}

TEST(output_dir_numbers_reports_below_each_parent)
{
    over_both(reports);
}

static void taken(struct room *r)
{
    stand(r, "0-Scout.jsonl"); /* a sub-agent that has not finished */
    stand(r, "2-Other.json");
    stand(r, "3-Dir/0.bash.log");
    report_is(r, "Scout", NULL, "4-Scout");
    stand(r, "4-Scout.0-Reader.jsonl");
    report_is(r, "Reader", "4-Scout", "4-Scout.1-Reader");
    stand(r, "04-Zero.md");
    report_is(r, "Scout", NULL, "5-Scout");
    /* "4-S" begins "4-Scout", but is another one */
    report_is(r, "Reader", "4-S", "4-S.0-Reader");
}

TEST(output_dir_takes_no_index_that_a_child_has)
{
    over_both(taken);
}

TEST(output_dir_knows_what_can_be_a_parent)
{
    static const char *const good[] = {"0-Scout", "0-Scout.1-Reader",
                                       "a",       "a.b.c",
                                       "_",       "-",
                                       "3a",      "3-",
                                       "a.3"};
    static const char *const bad[] = {"",     ".",    "..",       ".a",
                                      "a.",   "a..b", "a/b",      "../a",
                                      "a b",  "a\n",  "\xc3\xbc", "a/../b",
                                      "a%2e", "3",    "007",      "3.0-Scout"};
    size_t i;

    for (i = 0; i < COUNT(good); i++)
        OK(output_dir_check_parent(good[i], &test_err));
    for (i = 0; i < COUNT(bad); i++) {
        quire_error err = {.what = ""};

        IS(QUIRE_INVALID, output_dir_check_parent(bad[i], &err));
        EQ(QUIRE_INVALID, err.status);
        HAS(err.what, "is not the id of a report");
        IS(QUIRE_INVALID, output_dir_check_parent(bad[i], NULL));
    }
}

static void bad_parents(struct room *r)
{
    const char *name, *id;
    char parent[256];
    size_t n;

    IS(QUIRE_INVALID,
       output_dir_put_report(&r->outdir, drafted(r, "ours"), "Reader", "../x",
                             &r->keep, &name, &id, &test_err));
    for (n = 150; n < sizeof parent; n++) {
        quire_status st;

        memset(parent, 'p', n);
        parent[n] = '\0';
        st = output_dir_put_report(&r->outdir, drafted(r, "ours"), "Reader",
                                   parent, &r->keep, &name, &id, &test_err);
        /* "p...p.0-Reader.md": what a file system takes at most is 255 */
        if (n < 200)
            OK(st);
        else if (st)
            EQ(QUIRE_INVALID, st);
        if (n > 244)
            EQ(QUIRE_INVALID, st);
        if (st)
            HAS(test_err.what, "too long");
        else
            holds(r, name, "ours");
    }
}

TEST(output_dir_puts_no_report_below_what_cannot_be_a_parent)
{
    over_both(bad_parents);
}

/* ---- a store that is not there ------------------------------------------ */

struct late {
    struct store *store; /* NULL: it cannot be opened */
    int opened;
};

static quire_status open_late(void *ctx, struct output_dir *s, quire_error *err)
{
    struct late *l = ctx;

    l->opened++;
    if (!l->store) {
        err->status = QUIRE_IO;
        snprintf(err->what, sizeof err->what, "not today");
        return QUIRE_IO;
    }
    s->store = l->store;
    return QUIRE_OK;
}

static void late(struct room *r)
{
    struct late l = {NULL, 0};
    struct output_dir_item *items;
    struct draft *d;
    const char *name, *id;
    size_t n;

    r->outdir.store = NULL;
    r->outdir.open = open_late;
    r->outdir.ctx = &l;
    IS(QUIRE_IO, output_dir_draft(&r->outdir, &d, &test_err));
    IS(QUIRE_IO, output_dir_list(&r->outdir, &r->keep, &items, &n, &test_err));
    EQ(0, n);
    IS(QUIRE_IO,
       output_dir_find_log(&r->outdir, "0", &r->keep, &name, &test_err));
    IS(QUIRE_IO, output_dir_find_report(&r->outdir, "0-A", ".md", &r->keep,
                                        &name, &test_err));
    SAME_TEXT("not today", test_err.what);
    EQ(4, l.opened);
    l.store = r->store;
    OK(output_dir_draft(&r->outdir, &d, &test_err));
    OK(object_write(d, bytes_str("ours"), &test_err));
    OK(output_dir_put_log(&r->outdir, d, "bash", &r->keep, &name, &id,
                          &test_err));
    OK(output_dir_list(&r->outdir, &r->keep, &items, &n, &test_err));
    EQ(1, n);
    EQ(5, l.opened); /* once is enough */
}

TEST(output_dir_opens_its_store_when_it_is_needed)
{
    over_both(late);
}

/* The request was in order; the store is not. */
TEST(output_dir_calls_a_file_in_the_place_of_its_directory_an_accident)
{
    struct output_dir_item *items;
    struct room r;
    const char *name, *id;
    size_t n;

    room_open(&r, true);
    OK(put_file(r.store, "d", "a file"));
    IS(QUIRE_IO, output_dir_put_log(&r.outdir, drafted(&r, "ours"), "bash",
                                    &r.keep, &name, &id, &test_err));
    EQ(QUIRE_IO, test_err.status);
    IS(QUIRE_IO, output_dir_put_report(&r.outdir, drafted(&r, "ours"), "A",
                                       NULL, &r.keep, &name, &id, &test_err));
    IS(QUIRE_IO, output_dir_list(&r.outdir, &r.keep, &items, &n, &test_err));
    IS(QUIRE_IO,
       output_dir_find_log(&r.outdir, "0", &r.keep, &name, &test_err));
    holds(&r, "d", "a file");
    room_close(&r);
}

/* ---- finding ------------------------------------------------------------ */

static void finds(struct room *r, const char *id, const char *want)
{
    const char *name = NULL;
    quire_error err = {.what = ""};
    quire_status st = output_dir_find_log(&r->outdir, id, &r->keep, &name,
                                          &err);

    IS(want ? QUIRE_OK : QUIRE_NOT_FOUND, st);
    if (want)
        SAME_TEXT(want, name);
    SAME_TEXT("", err.what);
}

static void finding(struct room *r)
{
    finds(r, "0", NULL); /* no directory */
    stand(r, "0.bash.log");
    stand(r, "00.bash.log");
    stand(r, "1.png");
    stand(r, "1.zsh.log");
    stand(r, "1.bash.log");
    stand(r, "1.a.txt");
    stand(r, "2.b.png");
    stand(r, "2.a.txt");
    stand(r, "3.dir.log/x");
    stand(r, "10.bash.log");
    stand(r, "5");
    finds(r, "0", "d/0.bash.log");
    finds(r, "00", "d/00.bash.log");
    finds(r, "000", NULL);
    finds(r, "1", "d/1.bash.log");
    finds(r, "2", "d/2.a.txt");
    finds(r, "3", NULL);
    finds(r, "5", NULL);
    finds(r, "01", NULL);
    finds(r, "10", "d/10.bash.log");
    finds(r, "100", NULL);
    r->outdir.dir = "";
    OK(put_file(r->store, "4.bash.log", "x"));
    finds(r, "4", "4.bash.log");
}

TEST(output_dir_finds_a_log_by_its_number)
{
    over_both(finding);
}

static void finds_report(struct room *r, const char *id, const char *suffix,
                         bool there)
{
    const char *name = NULL;
    char want[300];

    IS(there ? QUIRE_OK : QUIRE_NOT_FOUND,
       output_dir_find_report(&r->outdir, id, suffix, &r->keep, &name,
                              &test_err));
    snprintf(want, sizeof want, "d/%s%s", id, suffix);
    if (there)
        SAME_TEXT(want, name);
}

static void finding_reports(struct room *r)
{
    finds_report(r, "0-Scout", ".md", false);
    stand(r, "0-Scout.md");
    stand(r, "0-Scout.json");
    stand(r, "0-Scout.0-Reader.md");
    stand(r, "1-Dir.md/x");
    finds_report(r, "0-Scout", ".md", true);
    finds_report(r, "0-Scout", ".json", true);
    finds_report(r, "0-Scout.0-Reader", ".md", true);
    finds_report(r, "0-Scout.0-Reader", ".json", false);
    finds_report(r, "0-scout", ".md", false);
    finds_report(r, "0", ".md", false);
}

TEST(output_dir_finds_a_report_by_its_id)
{
    over_both(finding_reports);
}

TEST(output_dir_follows_no_links)
{
    struct output_dir_item *items;
    struct room r;
    size_t n;

    room_open(&r, true);
    stand(&r, "0.bash.log");
    test_write_file(test_path("secret"), bytes_str("secret"));
    EQ(0, symlink(test_path("secret"), test_path("home/d/1.bash.log")));
    EQ(0, symlink(test_path("secret"), test_path("home/d/0-Scout.md")));
    EQ(0, symlink("0.bash.log", test_path("home/d/2.bash.log")));
    finds(&r, "0", "d/0.bash.log");
    finds(&r, "1", NULL);
    finds(&r, "2", NULL);
    {
        const char *name;

        NO(output_dir_find_report(&r.outdir, "0-Scout", ".md", &r.keep, &name,
                                  &test_err) == QUIRE_OK);
    }
    OK(output_dir_list(&r.outdir, &r.keep, &items, &n, &test_err));
    EQ(1, n);
    SAME_TEXT("0", items[0].id);
    room_close(&r);
}

/* Nothing is written through it, and it is not replaced. */
TEST(output_dir_writes_through_no_links)
{
    struct room r;
    const char *name, *id;

    room_open(&r, true);
    stand(&r, "0.bash.log");
    test_write_file(test_path("secret"), bytes_str("secret"));
    EQ(0, symlink(test_path("secret"), test_path("home/d/1.bash.log")));
    OK(output_dir_put_log(&r.outdir, drafted(&r, "ours"), "bash", &r.keep,
                          &name, &id, &test_err));
    SAME_TEXT("2", id);
    SAME(bytes_str("secret"), test_read_file(test_path("secret")));
    SAME(bytes_str("secret"), test_read_file(test_path("home/d/1.bash.log")));
    room_close(&r);
}

/* ---- listing ------------------------------------------------------------ */

static void listing(struct room *r)
{
    static const char *const names[] = {
        "10.bash.log",   "9.bash.log",   "0.a.b.log",
        "00.bash.log",   "2.bash.log",   "10-Late.md",
        "9-Early.md",    "0-Scout.md",   "0-Scout.0-Reader.md",
        "Named.md",      "0-Scout.json", "0-Child.jsonl",
        "notes.txt",     "3.png",        "4..log",
        "5.log",         "x.log",        "6.dir.log/y",
        "7-Dir.md/y",    "1.python.log", ".hidden.md",
        "8-Sub/0.x.log", "2.zsh.log",
    };
    struct output_dir_item *items;
    struct buf got = BUF_INIT(1 << 16);
    size_t i, n;

    OK(output_dir_list(&r->outdir, &r->keep, &items, &n, &test_err));
    EQ(0, n);
    for (i = 0; i < COUNT(names); i++)
        stand(r, names[i]);
    OK(output_dir_list(&r->outdir, &r->keep, &items, &n, &test_err));
    for (i = 0; i < n; i++) {
        buf_addf(&got, "%s(%s) ", items[i].id, items[i].tool);
        EQ(6, items[i].info.size);
        holds(r, items[i].name, "theirs");
    }
    SAME_TEXT("0(a.b) 00(bash) 1(python) 2(bash) 2(zsh) 3(png) "
              "4(.log) 5(log) 9(bash) 10(bash) "
              "0-Scout() 0-Scout.0-Reader() 9-Early() 10-Late() Named() ",
              buf_text(&got));
    buf_release(&got);
}

TEST(output_dir_lists_logs_by_number_and_then_reports)
{
    over_both(listing);
}

static void listing_many(struct room *r)
{
    struct output_dir_item *items;
    size_t i, n;
    char name[64], id[24];

    for (i = 0; i < 300; i++) {
        snprintf(name, sizeof name, "%zu.t.log", i * 7 % 300);
        stand(r, name);
    }
    OK(output_dir_list(&r->outdir, &r->keep, &items, &n, &test_err));
    EQ(300, n);
    for (i = 0; i < n; i++) {
        snprintf(id, sizeof id, "%zu", i);
        SAME_TEXT(id, items[i].id);
    }
}

TEST(output_dir_lists_any_number)
{
    over_both(listing_many);
}

/* ---- several at once ---------------------------------------------------- */

enum { WRITERS = 4, EACH = 25 };

/* As a process or a thread of its own has it: a handle, and nothing else. Half
 * of the names are the same in all of them. */
static bool number_many(const char *home, int who, char *failure, size_t cap)
{
    struct arena keep = ARENA_INIT;
    struct store *store;
    quire_error err = {.what = ""};
    struct output_dir outdir;
    char tool[24];
    int i;
    quire_status st = store_files_open(home, false, &store, &err);

    if (st) {
        snprintf(failure, cap, "%s", err.what);
        return false;
    }
    outdir = (struct output_dir){.store = store,
                                 .dir = "d",
                                 .owner = "e/s.jsonl",
                                 .busy_ms = 60000};
    snprintf(tool, sizeof tool, "tool%d", who);
    for (i = 0; i < EACH && !st; i++) {
        const char *name, *id;
        struct draft *d;

        st = object_create(store->objects, &d, &err);
        if (!st)
            st = object_write(d, bytes_str(tool), &err);
        if (!st)
            st = i % 5
                     ? output_dir_put_log(&outdir, d, i % 2 ? tool : "same",
                                          &keep, &name, &id, &err)
                     : output_dir_put_report(&outdir, d, i % 2 ? tool : "same",
                                             NULL, &keep, &name, &id, &err);
    }
    if (st)
        snprintf(failure, cap, "%s: %s", quire_status_name(st), err.what);
    arena_release(&keep);
    store_free(store);
    return st == QUIRE_OK;
}

/* A home with a session in it. */
static const char *found_home(void)
{
    struct room r;

    room_open(&r, true);
    OK(put_file(r.store, "e/s.jsonl", "{}\n"));
    arena_release(&r.keep);
    store_free(r.store);
    return test_path("home");
}

/* Every number from 0 on, each once. */
static void all_different(void)
{
    struct room r;
    struct output_dir_item *items;
    size_t i, n, logs = WRITERS * EACH * 4 / 5, index;
    char want[24];

    room_open(&r, true);
    OK(output_dir_list(&r.outdir, &r.keep, &items, &n, &test_err));
    EQ(WRITERS * EACH, n);
    for (i = 0; i < n; i++) {
        YES(i < logs ? *items[i].tool : !*items[i].tool);
        index = i < logs ? i : i - logs;
        snprintf(want, sizeof want, "%zu", index);
        SAME(bytes_str(want),
             bytes_of(items[i].id, strspn(items[i].id, "0123456789")));
    }
    room_close(&r);
}

struct worker {
    pthread_t thread;
    const char *home;
    int who;
    char failure[300];
};

static void *start(void *ctx)
{
    struct worker *w = ctx;

    number_many(w->home, w->who, w->failure, sizeof w->failure);
    return NULL;
}

TEST(output_dir_gives_threads_different_numbers)
{
    struct worker w[WRITERS];
    const char *home = found_home();
    int i;

    for (i = 0; i < WRITERS; i++) {
        w[i] = (struct worker){.home = home, .who = i};
        EQ(0, pthread_create(&w[i].thread, NULL, start, &w[i]));
    }
    for (i = 0; i < WRITERS; i++)
        pthread_join(w[i].thread, NULL);
    for (i = 0; i < WRITERS; i++)
        SAME_TEXT("", w[i].failure);
    all_different();
}

TEST(output_dir_gives_processes_different_numbers)
{
    pid_t child[WRITERS];
    const char *home = found_home();
    int i, status;

    for (i = 0; i < WRITERS; i++) {
        child[i] = fork();
        if (child[i] == 0) {
            char failure[300] = "";
            bool well = number_many(home, i, failure, sizeof failure);

            if (!well)
                fprintf(stderr, "%s\n", failure);
            _exit(well ? 0 : 1);
        }
        YES(child[i] > 0);
    }
    for (i = 0; i < WRITERS; i++) {
        EQ(child[i], waitpid(child[i], &status, 0));
        EQ(0, status);
    }
    all_different();
}

/* ---- removing ----------------------------------------------------------- */

static void remove_is(struct room *r, const char *id, quire_status want)
{
    bool report = id[strspn(id, "0123456789")] != '\0';

    EQ(want, output_dir_remove(&r->outdir, id, report, &r->keep, &test_err));
}

static void removing(struct room *r)
{
    struct output_dir_item *items;
    const char *name;
    size_t n;

    log_is(r, "bash", "0.bash.log");
    log_is(r, "bash", "1.bash.log");
    stand(r, "1.png"); /* another program's, with the same number */
    remove_is(r, "1", QUIRE_OK);
    remove_is(r, "1", QUIRE_NOT_FOUND);
    remove_is(r, "7", QUIRE_NOT_FOUND);
    EQ(QUIRE_NOT_FOUND,
       output_dir_find_log(&r->outdir, "1", &r->keep, &name, &test_err));
    log_is(r, "bash", "2.bash.log");
    remove_is(r, "0", QUIRE_OK); /* not the highest: nothing is left of it */
    EQ(QUIRE_NOT_FOUND, object_stat(r->store->objects, "d/0.removed",
                                    &(struct object_info){0}, &test_err));
    report_is(r, "Scout", NULL, "0-Scout");
    report_is(r, "Reader", "0-Scout", "0-Scout.0-Reader");
    stand(r, "0-Scout.0-Reader.json");
    remove_is(r, "0-Scout.0-Reader", QUIRE_OK);
    EQ(QUIRE_NOT_FOUND,
       object_stat(r->store->objects, "d/0-Scout.0-Reader.json",
                   &(struct object_info){0}, &test_err));
    report_is(r, "Reader", "0-Scout", "0-Scout.1-Reader");
    remove_is(r, "0-Scout", QUIRE_OK);
    report_is(r, "Scout", NULL, "1-Scout");
    OK(output_dir_list(&r->outdir, &r->keep, &items, &n, &test_err));
    EQ(3, n); /* 2, 0-Scout.1-Reader, 1-Scout */
    YES(output_dir_is_output("1.removed"));
    YES(output_dir_is_output("0-Scout.removed"));
}

TEST(output_dir_gives_the_number_of_a_removed_output_to_no_other)
{
    over_both(removing);
}

/* Every call fails once: the output is there or not, and its number is taken. */
static void removal_sweep(bool disk)
{
    bool struck = true;
    long n;

    for (n = 1; struck; n++) {
        struct room r;
        quire_status st;

        room_open(&r, disk);
        stand(&r, "6.bash.log");
        fault_arm(n, n % 2 ? ENOMEM : EIO, false);
        st = output_dir_remove(&r.outdir, "6", false, &r.keep, &test_err);
        struck = fault_disarm();
        if (!struck)
            OK(st);
        /* an accident is not an answer */
        NO(st == QUIRE_NOT_FOUND);
        log_is(&r, "bash", "7.bash.log");
        room_close(&r);
    }
    YES(n > 3);
}

TEST(output_dir_removal_survives_each_call_failing)
{
    removal_sweep(false);
    removal_sweep(true);
}

/* ---- without memory ----------------------------------------------------- */

/* Every call fails once: a number or none, a complete file or none. */
static void sweep(bool disk, bool report)
{
    bool struck = true;
    long n;

    for (n = 1; struck; n++) {
        const char *name, *id, *found;
        struct room r;
        struct draft *d;
        quire_status st;

        room_open(&r, disk);
        stand(&r, report ? "6-Scout.md" : "6.bash.log");
        d = drafted(&r, "ours");
        fault_arm(n, n % 2 ? ENOMEM : EIO, false);
        st = report ? output_dir_put_report(&r.outdir, d, "Scout", NULL,
                                            &r.keep, &name, &id, &test_err)
                    : output_dir_put_log(&r.outdir, d, "bash", &r.keep, &name,
                                         &id, &test_err);
        struck = fault_disarm();
        if (!struck)
            OK(st);
        if (!st) {
            SAME_TEXT(report ? "7-Scout" : "7", id);
            holds(&r, name, "ours");
        } else if (!report && !output_dir_find_log(&r.outdir, "7", &r.keep,
                                                   &found, &test_err)) {
            holds(&r, found, "ours");
        }
        room_close(&r);
    }
    YES(n > 3);
}

TEST(output_dir_survives_each_call_failing)
{
    sweep(false, false);
    sweep(false, true);
    sweep(true, false);
    sweep(true, true);
}

static void look_sweep(struct room *r, bool list)
{
    bool struck = true;
    long n;

    for (n = 1; struck; n++) {
        struct arena keep = ARENA_INIT;
        struct output_dir_item *items;
        const char *name;
        size_t count;
        quire_status st;

        fault_arm(n, n % 2 ? ENOMEM : EIO, false);
        st = list
                 ? output_dir_list(&r->outdir, &keep, &items, &count, &test_err)
                 : output_dir_find_log(&r->outdir, "3", &keep, &name,
                                       &test_err);
        struck = fault_disarm();
        if (!struck)
            OK(st);
        /* an accident is not an answer */
        NO(st == QUIRE_NOT_FOUND);
        if (!st && list)
            EQ(40, count);
        if (!st && !list)
            SAME_TEXT("d/3.t.log", name);
        arena_release(&keep);
    }
}

static void looking(struct room *r)
{
    int i;

    for (i = 0; i < 40; i++) {
        char name[24];

        snprintf(name, sizeof name, "%d.t.log", i);
        stand(r, name);
    }
    look_sweep(r, true);
    look_sweep(r, false);
}

TEST(output_dir_takes_no_failure_for_an_answer)
{
    over_both(looking);
}
