/*
 * The promises of store/object.h about objects that are changed where they
 * are, and about looking at one directory, over every backend.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "store/intercept.h"
#include "support/store.h"

static struct fault idle;

static struct object_store *open_backend(int which)
{
    struct object_store *s, *tapped;

    if (which == 0) {
        OK(object_memory_open(&clock_system, &s, &test_err));
        return s;
    }
    OK(object_files_open(test_path("store"), false, &s, &test_err));
    if (which == 1)
        return s;
    OK(object_intercept(s, fault_hook(&idle), &tapped, &test_err));
    return tapped;
}

static void over_all(void (*body)(struct object_store *s))
{
    int i;

    for (i = 0; i < 3; i++) {
        struct object_store *s = open_backend(i);

        body(s);
        s->ops->free(s);
        test_forget_dir();
    }
}

static struct draft *draft_of(struct object_store *s, const char *text)
{
    struct draft *d;

    OK(s->ops->create(s, &d, &test_err));
    OK(d->ops->write(d, bytes_str(text), &test_err));
    return d;
}

static void put(struct object_store *s, const char *name, const char *text)
{
    struct draft *d = draft_of(s, text);

    OK(d->ops->publish(d, name, true, &test_err));
}

static void reads(struct object *o, const char *text)
{
    char buf[256];
    size_t n;

    OK(o->ops->read(o, 0, buf, sizeof buf, &n, &test_err));
    SAME(bytes_str(text), bytes_of(buf, n));
}

static void holds(struct object_store *s, const char *name, const char *text)
{
    struct object_info info;
    struct object *o;

    OK(s->ops->open(s, name, &o, &info, &test_err));
    reads(o, text);
    o->ops->close(o);
}

static void extends(struct object_store *s)
{
    struct object *a, *b;
    struct object_info info;
    uint64_t size;
    bool named;

    put(s, "d/log", "one\n");
    OK(s->ops->edit(s, "d/log", &a, &info, &test_err));
    OK(s->ops->open(s, "d/log", &b, &info, &test_err));
    OK(a->ops->append_at(a, 4, bytes_str("two\n"), &test_err));
    reads(a, "one\ntwo\n");
    reads(b, "one\ntwo\n");
    OK(a->ops->status(a, &size, &named, &test_err));
    EQ(8, size);
    YES(named);
    OK(a->ops->sync(a, &test_err));
    OK(a->ops->patch(a, 4, bytes_str("TW"), &test_err));
    reads(b, "one\nTWo\n");
    IS(QUIRE_CHANGED, a->ops->patch(a, 7, bytes_str("xx"), &test_err));
    a->ops->close(a);
    b->ops->close(b);
}

TEST(what_is_added_to_an_open_object_everybody_sees_at_once)
{
    over_all(extends);
}

static void absent(struct object_store *s)
{
    struct object_info info;
    struct object *o;

    IS(QUIRE_NOT_FOUND, s->ops->edit(s, "nothing", &o, &info, &test_err));
}

TEST(an_object_that_is_not_there_cannot_be_edited)
{
    over_all(absent);
}

static void held(struct object_store *s)
{
    struct object *a, *b;
    struct object_info info;

    put(s, "log", "one\n");
    OK(s->ops->edit(s, "log", &a, &info, &test_err));
    OK(s->ops->edit(s, "log", &b, &info, &test_err));
    OK(a->ops->hold(a, 0, &test_err));
    IS(QUIRE_BUSY, b->ops->hold(b, 1, &test_err));
    HAS(test_err.what, "writing");
    a->ops->close(a);
    OK(b->ops->hold(b, 0, &test_err));
    b->ops->close(b);
}

TEST(one_handle_at_a_time_holds_an_object)
{
    over_all(held);
}

static void swapped(struct object_store *s)
{
    struct object *a, *b;
    struct object_info was, info;
    uint64_t size;
    bool named;

    put(s, "d/log", "old\n");
    OK(s->ops->edit(s, "d/log", &a, &was, &test_err));
    OK(s->ops->open(s, "d/log", &b, &info, &test_err));
    OK(a->ops->hold(a, 0, &test_err));
    OK(a->ops->swap(a, draft_of(s, "new\n"), &test_err));
    holds(s, "d/log", "new\n");
    reads(b, "old\n"); /* whoever had it open still has it */
    OK(b->ops->status(b, &size, &named, &test_err));
    NO(named);
    b->ops->close(b);

    /* What is open now is the new one, and still ours alone. */
    OK(a->ops->append_at(a, 4, bytes_str("more\n"), &test_err));
    holds(s, "d/log", "new\nmore\n");
    OK(a->ops->status(a, &size, &named, &test_err));
    YES(named);
    OK(s->ops->stat(s, "d/log", &info, &test_err));
    YES(info.inode != was.inode);
    OK(s->ops->edit(s, "d/log", &b, &info, &test_err));
    IS(QUIRE_BUSY, b->ops->hold(b, 0, &test_err));
    a->ops->close(a);
    b->ops->close(b);
}

TEST(an_object_is_swapped_without_being_let_go)
{
    over_all(swapped);
}

static void gone(struct object_store *s)
{
    struct object_info info;
    struct object *o;
    uint64_t size;
    bool named;

    put(s, "log", "one\n");
    OK(s->ops->edit(s, "log", &o, &info, &test_err));
    OK(s->ops->remove(s, "log", &test_err));
    OK(o->ops->status(o, &size, &named, &test_err));
    NO(named);
    o->ops->close(o);
}

TEST(an_open_object_knows_when_its_name_is_gone)
{
    over_all(gone);
}

static void lost(struct object_store *s)
{
    struct object_info info;
    struct object *o;

    put(s, "log", "one\n");
    OK(s->ops->edit(s, "log", &o, &info, &test_err));
    OK(o->ops->hold(o, 0, &test_err));
    OK(o->ops->append_at(o, 4, bytes_str("two\n"), &test_err));
    OK(o->ops->sync(o, &test_err));
    OK(s->ops->rename(s, "log", "aside", &test_err));
    put(s, "log", "other\n");
    OK(o->ops->append_at(o, 8, bytes_str("three\n"), &test_err));
    IS(QUIRE_CHANGED, o->ops->sync(o, &test_err));
    HAS(test_err.what, "moved, replaced or removed");
    o->ops->close(o);
}

TEST(a_sync_of_a_held_object_that_was_moved_aside_is_refused)
{
    over_all(lost);
}

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

static void scans(struct object_store *s)
{
    struct seen top = {0}, inner = {0}, none = {0};

    put(s, "a/x", "1");
    put(s, "a/y", "22");
    put(s, "a/z/deep", "333");
    put(s, "b", "4");
    OK(s->ops->scan(s, "", see, &top, &test_err));
    EQ(1, top.objects);
    HAS(top.names, "a/ ");
    HAS(top.names, "b ");
    OK(s->ops->scan(s, "a", see, &inner, &test_err));
    EQ(2, inner.objects);
    HAS(inner.names, "x ");
    HAS(inner.names, "z/ ");
    OK(s->ops->scan(s, "absent", see, &none, &test_err));
    SAME_TEXT("", none.names);
}

TEST(a_scan_shows_one_directory_and_nothing_below)
{
    over_all(scans);
}

static void moved(struct object_store *s)
{
    struct object_info info;

    put(s, "a/t/1", "one");
    put(s, "a/t/sub/2", "two");
    put(s, "a/other", "x");
    OK(s->ops->rename(s, "a/t", "b/t", &test_err));
    holds(s, "b/t/1", "one");
    holds(s, "b/t/sub/2", "two");
    IS(QUIRE_NOT_FOUND, s->ops->stat(s, "a/t/1", &info, &test_err));
    put(s, "a/t/9", "again");
    IS(QUIRE_EXISTS, s->ops->rename(s, "a/t", "b/t", &test_err));
    IS(QUIRE_NOT_FOUND, s->ops->rename(s, "a/u", "b/u", &test_err));

    OK(s->ops->clear(s, "b/t", &test_err));
    IS(QUIRE_NOT_FOUND, s->ops->stat(s, "b/t/1", &info, &test_err));
    IS(QUIRE_NOT_FOUND, s->ops->stat(s, "b/t/sub/2", &info, &test_err));
    holds(s, "a/other", "x");
    OK(s->ops->clear(s, "b/t", &test_err));
}

TEST(all_below_a_name_moves_and_goes_together)
{
    over_all(moved);
}

TEST(a_file_that_took_the_place_of_another_keeps_its_permissions)
{
    struct object_store *s = open_backend(1);
    struct object_info info;
    struct object *o;

    put(s, "log", "old");
    YES(chmod(test_path("store/log"), 0644) == 0);
    OK(s->ops->edit(s, "log", &o, &info, &test_err));
    OK(o->ops->swap(o, draft_of(s, "new"), &test_err));
    o->ops->close(o);
    s->ops->free(s);
    YES(access(test_path("store/log"), R_OK) == 0);
    {
        struct stat st;

        YES(stat(test_path("store/log"), &st) == 0);
        EQ(0644, st.st_mode & 0777);
    }
}
