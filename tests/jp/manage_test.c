/*
 * Whole conversations through the public header: made, appended to, copied,
 * archived and removed.
 */
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "support/test.h"

#define LOCATION "ws/.jp"

static quire *scene(void)
{
    quire_options o = QUIRE_OPTIONS_INIT;
    char path[PATH_MAX];
    quire *q;

    EQ(0, mkdir(test_path("ws"), 0700));
    EQ(0, mkdir(test_path(LOCATION), 0700));
    snprintf(path, sizeof path, "%s/blobs", test_path(LOCATION));
    o.blobs = path;
    o.layout = QUIRE_LAYOUT_LOOSE;
    o.busy_ms = 0;
    OK(quire_open(&o, &q, &test_err));
    return q;
}

static void create(quire *q, const char *title, char path[PATH_MAX])
{
    quire_conversation_options o = QUIRE_CONVERSATION_OPTIONS_INIT;

    o.title = title;
    OK(quire_conversation_create(q, test_path(LOCATION), &o, path, PATH_MAX,
                                 &test_err));
}

static quire_bytes file_of(const char *path, const char *name)
{
    char whole[PATH_MAX + 32];

    snprintf(whole, sizeof whole, "%s/%s", path, name);
    return test_read_file(whole);
}

static const char *slug_of(quire *q, const char *title)
{
    static char path[PATH_MAX];
    const char *name;

    create(q, title, path);
    name = strrchr(path, '/') + 1;
    return name + strspn(name, "0123456789");
}

TEST(a_directory_is_named_as_jp_names_it)
{
    quire *q = scene();

    SAME_TEXT("", slug_of(q, NULL));
    SAME_TEXT("", slug_of(q, ""));
    SAME_TEXT("", slug_of(q, " ?! "));
    SAME_TEXT("-fix-the-build", slug_of(q, " Fix the Build!"));
    SAME_TEXT("-stra\xc3\x9f"
              "e-2",
              slug_of(q, "Stra\xc3\x9f"
                         "e 2"));
    /* A title of more than 60 bytes ends with its last whole word. */
    SAME_TEXT("-abcdefghi-abcdefghi-abcdefghi-abcdefghi-abcdefghi",
              slug_of(q, "abcdefghi abcdefghi abcdefghi abcdefghi abcdefghi "
                         "abcdefghijklmn"));
    quire_close(q);
}

TEST(ids_are_never_given_twice)
{
    quire *q = scene();
    char path[PATH_MAX];
    long long last = 0, number;
    int i;

    for (i = 0; i < 20; i++) {
        create(q, i % 2 ? "x" : NULL, path);
        number = strtoll(strrchr(path, '/') + 1, NULL, 10);
        YES(number > last);
        last = number;
        /* An archived one keeps its number. */
        OK(quire_conversation_archive(q, path, path, sizeof path, &test_err));
    }
    NO(test_litter(test_dir()));
    quire_close(q);
}

TEST(a_title_or_configuration_that_jp_could_not_read_is_refused)
{
    quire_conversation_options o = QUIRE_CONVERSATION_OPTIONS_INIT;
    quire *q = scene();
    char path[PATH_MAX];

    o.title = "\xff";
    IS(QUIRE_INVALID, quire_conversation_create(q, test_path(LOCATION), &o,
                                                path, sizeof path, &test_err));
    o.title = NULL;
    o.config = bytes_str("[]");
    IS(QUIRE_INVALID, quire_conversation_create(q, test_path(LOCATION), &o,
                                                path, sizeof path, &test_err));
    NO(test_exists(test_path(LOCATION "/conversations")));
    quire_close(q);
}

TEST(a_conversation_that_jp_has_locked_is_not_changed)
{
    quire *q = scene();
    char path[PATH_MAX], lock[PATH_MAX + 64];
    const char *name;
    int fd;

    create(q, NULL, path);
    name = strrchr(path, '/') + 1;
    EQ(0, mkdir(test_path(LOCATION "/locks"), 0700));
    snprintf(lock, sizeof lock, "%s/locks/jp-c%s.lock", test_path(LOCATION),
             name);
    fd = open(lock, O_CREAT | O_RDWR | O_CLOEXEC, 0600);
    YES(fd >= 0);
    EQ(0, flock(fd, LOCK_EX));
    IS(QUIRE_BUSY,
       quire_conversation_append(q, path, bytes_str("{\"type\":\"x\"}"), NULL,
                                 &test_err));
    IS(QUIRE_BUSY,
       quire_conversation_remove(q, path, 0, NULL, NULL, &test_err));
    IS(QUIRE_BUSY,
       quire_conversation_archive(q, path, lock, sizeof lock, &test_err));
    SAME(bytes_str("[]\n"), file_of(path, "events.json"));
    close(fd);
    OK(quire_conversation_remove(q, path, 0, NULL, NULL, &test_err));
    NO(test_exists(path));
    quire_close(q);
}

static quire_status sum_bytes(void *ctx, const char *path, const char *row,
                              uint64_t bytes, quire_error *err)
{
    (void)err;
    YES(path && !row);
    *(uint64_t *)ctx += bytes;
    return QUIRE_OK;
}

TEST(a_dry_run_lists_what_a_removal_removes_and_removes_nothing)
{
    quire *q = scene();
    uint64_t dry = 0, wet = 0;
    char path[PATH_MAX];

    create(q, "x", path);
    OK(quire_conversation_remove(q, path, QUIRE_CONVERSATION_REMOVE_DRY,
                                 sum_bytes, &dry, &test_err));
    YES(test_exists(path));
    OK(quire_conversation_remove(q, path, 0, sum_bytes, &wet, &test_err));
    EQ(dry, wet);
    YES(wet > 0);
    NO(test_exists(path));
    IS(QUIRE_NOT_FOUND,
       quire_conversation_remove(q, path, 0, NULL, NULL, &test_err));
    quire_close(q);
}

TEST(a_fork_keeps_labels_and_configuration_and_not_the_archive)
{
    quire_conversation_options o = QUIRE_CONVERSATION_OPTIONS_INIT;
    quire *q = scene();
    char path[PATH_MAX], file[PATH_MAX + 32], fork[PATH_MAX];
    quire_bytes metadata;

    o.config = bytes_str("{\"a\": 1}\n");
    OK(quire_conversation_create(q, test_path(LOCATION), &o, path, sizeof path,
                                 &test_err));
    snprintf(file, sizeof file, "%s/metadata.json", path);
    test_write_file(file, bytes_str("{\"title\":\"T\",\"pinned_at\":\"x\","
                                    "\"labels\":{\"branch\":\"main\"}}"));
    OK(quire_conversation_archive(q, path, path, sizeof path, &test_err));
    OK(quire_conversation_fork(q, path, NULL, fork, sizeof fork, &test_err));
    NO(strstr(fork, ".archive"));
    SAME(bytes_str("{\"a\": 1}\n"), file_of(fork, "base_config.json"));
    metadata = file_of(fork, "metadata.json");
    YES(memmem(metadata.data, metadata.len, "\"branch\": \"main\"", 16));
    YES(memmem(metadata.data, metadata.len, "\"title\": \"T\"", 12));
    NO(memmem(metadata.data, metadata.len, "archived_at", 11));
    NO(memmem(metadata.data, metadata.len, "pinned_at", 9));
    quire_close(q);
}

TEST(a_read_only_handle_changes_nothing)
{
    quire_options o = QUIRE_OPTIONS_INIT;
    quire *q = scene();
    char path[PATH_MAX], blobs[PATH_MAX];

    create(q, NULL, path);
    quire_close(q);
    snprintf(blobs, sizeof blobs, "%s/blobs", test_path(LOCATION));
    o.blobs = blobs;
    o.layout = QUIRE_LAYOUT_LOOSE;
    o.flags = QUIRE_READ_ONLY;
    OK(quire_open(&o, &q, &test_err));
    IS(QUIRE_INVALID,
       quire_conversation_remove(q, path, 0, NULL, NULL, &test_err));
    IS(QUIRE_INVALID,
       quire_conversation_append(q, path, bytes_str("{\"type\":\"x\"}"), NULL,
                                 &test_err));
    YES(test_exists(path));
    quire_close(q);
}
