/*
 * The promises of store/directory.h, over every backend, bare and behind the
 * wrapper.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "support/backends.h"
#include "support/test.h"

struct seen {
    char names[256];
    int objects;
};

static quire_status see(void *ctx, const char *name,
                        const struct object_info *info, quire_error *err)
{
    struct seen *s = ctx;

    (void)err;
    s->objects += info != NULL;
    strcat(strcat(s->names, name), info ? " " : "/ ");
    return QUIRE_OK;
}

static void scans(struct store *s)
{
    struct seen top = {0}, inner = {0}, none = {0};

    OK(backend_put(s, "a/x", "1", false));
    OK(backend_put(s, "a/y", "22", false));
    OK(backend_put(s, "a/z/deep", "333", false));
    OK(backend_put(s, "b", "4", false));
    OK(directory_scan(s->dirs, "", see, &top, &test_err));
    EQ(1, top.objects);
    HAS(top.names, "a/ ");
    HAS(top.names, "b ");
    OK(directory_scan(s->dirs, "a", see, &inner, &test_err));
    EQ(2, inner.objects);
    HAS(inner.names, "x ");
    HAS(inner.names, "z/ ");
    OK(directory_scan(s->dirs, "absent", see, &none, &test_err));
    SAME_TEXT("", none.names);
}

TEST(a_scan_shows_one_directory_and_nothing_below)
{
    backend_each(scans);
}

static void moved(struct store *s)
{
    struct object_info info;

    OK(backend_put(s, "a/t/1", "one", false));
    OK(backend_put(s, "a/t/sub/2", "two", false));
    OK(backend_put(s, "a/other", "x", false));
    OK(directory_rename(s->dirs, "a/t", "b/t", &test_err));
    backend_holds(s, "b/t/1", "one");
    backend_holds(s, "b/t/sub/2", "two");
    IS(QUIRE_NOT_FOUND, object_stat(s->objects, "a/t/1", &info, &test_err));
    OK(backend_put(s, "a/t/9", "again", false));
    IS(QUIRE_EXISTS, directory_rename(s->dirs, "a/t", "b/t", &test_err));
    IS(QUIRE_NOT_FOUND, directory_rename(s->dirs, "a/u", "b/u", &test_err));

    OK(object_clear(s->objects, "b/t", &test_err));
    IS(QUIRE_NOT_FOUND, object_stat(s->objects, "b/t/1", &info, &test_err));
    IS(QUIRE_NOT_FOUND, object_stat(s->objects, "b/t/sub/2", &info, &test_err));
    backend_holds(s, "a/other", "x");
    OK(object_clear(s->objects, "b/t", &test_err));
}

TEST(all_below_a_name_moves_and_goes_together)
{
    backend_each(moved);
}

static void renaming_one(struct store *s)
{
    OK(backend_put(s, "old", "text", false));
    OK(backend_put(s, "taken", "other", false));
    IS(QUIRE_EXISTS, directory_rename(s->dirs, "old", "taken", &test_err));
    backend_holds(s, "old", "text");
    backend_holds(s, "taken", "other");
    OK(directory_rename(s->dirs, "old", "deep/er/new", &test_err));
    backend_holds(s, "deep/er/new", "text");
    YES(backend_lacks(s, "old"));
}

TEST(directory_rename_moves_and_never_replaces)
{
    backend_each(renaming_one);
}

/* ---- combing ------------------------------------------------------------ */

struct combed {
    char names[512]; /* "dir|name " of each, in the order they came */
    int n;
};

static bool wants_no_log(void *ctx, const char *name)
{
    (void)ctx;
    return !strstr(name, ".log");
}

static quire_status note_combed(void *ctx, const char *dir, const char *name,
                                const struct object_info *info,
                                quire_error *err)
{
    struct combed *c = ctx;
    size_t used = strlen(c->names);

    (void)err;
    snprintf(c->names + used, sizeof c->names - used, "%s|%s:%d ", dir, name,
             info ? (int)info->size : -1);
    c->n++;
    return QUIRE_OK;
}

static void combing(struct store *s)
{
    struct combed c = {.n = 0};

    OK(backend_put(s, "top/a.jsonl", "1", false));
    OK(backend_put(s, "top/x/b.jsonl", "22", false));
    OK(backend_put(s, "top/x/y/z/.hidden", "333", false));
    OK(backend_put(s, "top/x/y/1.bash.log", "4444", false));
    OK(backend_put(s, "topmost/no", "", false));
    OK(directory_find(s->dirs, "top", wants_no_log, note_combed, &c,
                      &test_err));
    EQ(3, c.n);
    HAS(c.names, "|a.jsonl:1 ");
    HAS(c.names, "x|b.jsonl:2 ");
    HAS(c.names, "x/y/z|.hidden:3 ");
    c = (struct combed){.n = 0};
    OK(directory_find(s->dirs, "nowhere", wants_no_log, note_combed, &c,
                      &test_err));
    EQ(0, c.n);
    OK(directory_find(s->dirs, "", wants_no_log, note_combed, &c, &test_err));
    EQ(4, c.n);
    HAS(c.names, "topmost|no:0 ");
}

TEST(object_comb_meets_everything_below)
{
    backend_each(combing);
}

TEST(object_comb_tells_of_links)
{
    struct store *s = backend_files();
    struct combed c = {.n = 0};

    OK(backend_put(s, "top/x/b.jsonl", "22", false));
    EQ(0, symlink("/etc/passwd", test_path("store/top/x/link")));
    EQ(0, symlink("/etc", test_path("store/top/dir")));
    OK(directory_find(s->dirs, "top", wants_no_log, note_combed, &c,
                      &test_err));
    EQ(3, c.n);
    HAS(c.names, "x|link:-1 ");
    HAS(c.names, "|dir:-1 ");
    store_free(s);
}
