/*
 * artifact_search_test.c - search artifacts by their words
 *
 * Content is indexed after it was put. A search must not be able to tell: what was put
 * is found, what was changed is found by its new words alone, what is gone is not.
 */
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "support/catalog.h"
#include "support/flip.h"
#include "support/older.h"
#include "support/tenants.h"
#include "support/test.h"

static void put(quire *q, const char *path, const char *text)
{
    OK(quire_artifact_put(q, NULL, path, bytes_str(text), NULL, NULL,
                          &test_err));
}

static quire_status note_path(void *ctx, const quire_hit *hit, quire_error *err)
{
    struct buf *paths = ctx;

    (void)err;
    buf_addf(paths, "%s ", hit->artifact.path);
    return QUIRE_OK;
}

/* The paths that a search finds, each with a blank behind it. */
static void finds(quire *q, const char *paths, const char *query)
{
    struct buf found = BUF_INIT(4096);

    IS(*paths ? QUIRE_OK : QUIRE_NOT_FOUND,
       quire_artifact_search(q, NULL, query, NULL, note_path, &found, NULL,
                             &test_err));
    SAME(bytes_str(paths), buf_bytes(&found));
    buf_release(&found);
}

/* As a reader finds it, and as a writer does. */
static void both_find(quire *writer, const char *paths, const char *query)
{
    quire *reader = tenants_open("default", QUIRE_READ_ONLY);

    finds(reader, paths, query);
    quire_close(reader);
    if (writer)
        finds(writer, paths, query);
}

TEST(a_change_is_found_by_readers_and_writers_at_once)
{
    quire *q = tenants_open("default", 0);
    quire_artifact a;

    put(q, "one.txt", "walrus seal");
    both_find(NULL, "one.txt ", "walrus");
    both_find(q, "one.txt ", "seal");

    put(q, "one.txt", "otter");
    put(q, "one.txt", "otter ferret");
    both_find(NULL, "", "walrus");
    both_find(NULL, "one.txt ", "ferret");
    both_find(q, "one.txt ", "otter");

    OK(quire_artifact_remove(q, NULL, "one.txt", 0, &test_err));
    both_find(NULL, "", "otter");
    OK(quire_artifact_restore(q, NULL, "one.txt", &a, &test_err));
    both_find(NULL, "one.txt ", "otter");
    OK(quire_artifact_remove(q, NULL, "one.txt", 1, &test_err));
    both_find(q, "", "otter");
    quire_close(q);
    catalogue_sound();
}

TEST(new_and_indexed_artifacts_are_found_together_the_best_first)
{
    quire *q = tenants_open("default", 0);

    put(q, "a.txt", "walrus");
    put(q, "walrus.txt", "x");
    finds(q, "walrus.txt a.txt ", "walrus");
    put(q, "b.txt", "walrus walrus walrus");
    put(q, "walrus/c.txt", "walrus");
    both_find(NULL, "walrus/c.txt walrus.txt b.txt a.txt ", "walrus");
    both_find(q, "walrus/c.txt walrus.txt b.txt a.txt ", "walrus");
    quire_close(q);
}

TEST(rare_words_and_words_in_the_path_weigh_more)
{
    quire *q = tenants_open("default", 0);

    put(q, "rare.txt", "otter");
    put(q, "a.txt", "walrus");
    put(q, "b.txt", "walrus");
    put(q, "c.txt", "walrus");
    both_find(q, "rare.txt c.txt b.txt a.txt ", "walrus OR otter");
    put(q, "walrus.txt", "x");
    put(q, "both.txt", "walrus otter");
    both_find(q, "both.txt rare.txt walrus.txt c.txt b.txt a.txt ",
              "walrus OR otter");
    both_find(q, "both.txt ", "walrus otter");
    quire_close(q);
}

TEST(artifacts_of_a_removed_session_are_not_found)
{
    quire *q = tenants_open("default", 0);
    struct tenants_session gone = tenants_session(q, "gone");
    quire_artifact_search_options o = QUIRE_ARTIFACT_SEARCH_OPTIONS_INIT;
    struct buf found = BUF_INIT(1 << 16);
    char path[32];
    int i;

    for (i = 0; i < 150; i++) {
        snprintf(path, sizeof path, "g%d", i);
        OK(quire_artifact_put(q, gone.id, path,
                              bytes_str(i % 2 ? "walrus" : "otter"), NULL, NULL,
                              &test_err));
    }
    put(q, "walrus", "x");
    put(q, "a", "walrus");
    put(q, "b", "otter otter");
    put(q, "c", "otter");
    finds(q, "walrus a ", "walrus");
    OK(quire_session_remove(q, gone.id, &test_err));
    both_find(q, "walrus a ", "walrus");
    both_find(q, "walrus b c a ", "walrus OR otter");
    for (i = 0; i < 70; i++) {
        snprintf(path, sizeof path, "d%d", i);
        put(q, path, "walrus");
    }
    o.all_sessions = 1;
    o.limit = 1000;
    OK(quire_artifact_search(q, NULL, "walrus", &o, note_path, &found, NULL,
                             &test_err));
    EQ(72, bytes_count(buf_bytes(&found), ' '));
    buf_release(&found);
    quire_close(q);
    catalogue_sound();
}

TEST(a_word_with_signs_is_not_required_where_another_will_do)
{
    quire *q = tenants_open("default", 0);

    put(q, "walrus.txt", "on the ice");
    put(q, "code.txt", "C++");
    both_find(q, "walrus.txt code.txt ", "walrus OR C++");
    both_find(q, "walrus.txt ", "walrus AND NOT C++");
    both_find(q, "", "walrus AND C++");
    both_find(q, "code.txt ", "C++");
    quire_close(q);
}

TEST(a_home_with_changes_that_are_not_indexed_is_sound)
{
    quire *q = tenants_open("default", 0);
    uint64_t wrong;
    struct heard h;

    put(q, "a", "walrus");
    put(q, "b", "seal");
    finds(q, "a ", "walrus");
    put(q, "a", "otter");
    put(q, "c", "ferret");
    OK(quire_artifact_remove(q, NULL, "b", 0, &test_err));
    quire_close(q);
    h = flip_check("home", QUIRE_CHECK_FULL);
    OK(h.status);
    SAME_TEXT("", h.text);
    catalogue_sound();

    q = tenants_open("default", 0);
    OK(quire_reindex(q, &test_err));
    both_find(q, "a ", "otter");
    both_find(q, "", "seal");
    OK(quire_artifact_recount(q, &wrong, &test_err));
    EQ(0, wrong);
    quire_close(q);
    catalogue_sound();
}

TEST(words_of_content_that_is_gone_are_found_no_more)
{
    quire_collect_options o = QUIRE_COLLECT_OPTIONS_INIT;
    quire_collect_report report;
    quire *q = tenants_open("default", 0);

    OK(quire_config_set(q, "versions.kept", "1", &test_err));
    put(q, "a", "walrus");
    put(q, "b", "seal");
    finds(q, "a ", "walrus");
    put(q, "a", "otter");
    OK(quire_artifact_remove(q, NULL, "b", 1, &test_err));
    o.grace_s = 0;
    OK(quire_collect(q, &o, &report, &test_err));
    both_find(q, "", "walrus");
    both_find(q, "", "seal");
    both_find(q, "a ", "otter");
    quire_close(q);
    catalogue_sound();

    /* The same, if somebody took the content away meanwhile. */
    q = tenants_open("default", 0);
    put(q, "a", "ferret");
    tenants_sql("DELETE FROM body; DELETE FROM blob");
    put(q, "a", "stoat");
    both_find(q, "", "otter");
    both_find(q, "a ", "stoat");
    quire_close(q);
    catalogue_sound();
}

/* Somebody writes for a long time: whoever searches does not wait. */
TEST(a_search_does_not_wait_for_a_writer)
{
    quire *q = tenants_open("default", 0);
    sqlite3 *other;

    put(q, "a", "walrus");
    EQ(SQLITE_OK, sqlite3_open(catalogue_file(), &other));
    EQ(SQLITE_OK, sqlite3_exec(other, "BEGIN IMMEDIATE", NULL, NULL, NULL));
    finds(q, "a ", "walrus");
    EQ(SQLITE_OK, sqlite3_exec(other, "ROLLBACK", NULL, NULL, NULL));
    sqlite3_close(other);
    finds(q, "a ", "walrus");
    quire_close(q);
}

TEST(a_home_of_before_is_searched_by_a_reader)
{
    quire *q = tenants_open("default", 0);

    put(q, "a", "walrus");
    finds(q, "a ", "walrus");
    quire_close(q);
    test_undo_steps(13);
    q = tenants_open("default", QUIRE_READ_ONLY);
    finds(q, "a ", "walrus");
    quire_close(q);
    q = tenants_open("default", 0);
    put(q, "b", "walrus");
    finds(q, "b a ", "walrus");
    quire_close(q);
    catalogue_sound();
}
