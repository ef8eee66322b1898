/*
 * Calls that are kept together, and a handle that works for several tenants.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "support/catalog.h"
#include "support/tenants.h"

static void use(quire *q, const char *tenant)
{
    OK(quire_tenant_use(q, tenant, &test_err));
}

/* ---- tenants in turn ---------------------------------------------------- */

TEST(a_handle_works_for_tenants_in_turn_and_shows_none_the_others)
{
    int64_t acme = tenants_add("acme"), umbra = tenants_add("umbra");
    quire *q = tenants_open(NULL, 0);
    char which[32];
    int i;

    for (i = 0; i < 3; i++) {
        use(q, "acme");
        tenants_put(q, "a.txt", "of acme");
        tenants_session(q, "acme's");
        snprintf(which, sizeof which, "#%lld", (long long)umbra);
        use(q, which);
        tenants_put(q, "a.txt", "of umbra");
        use(q, "default");
        tenants_put(q, "a.txt", "of all");
        use(q, "#1");
        SAME_TEXT("of all", tenants_read(q, "a.txt"));
        SAME_TEXT("", tenants_sessions(q));
        snprintf(which, sizeof which, "#%lld", (long long)acme);
        use(q, which);
        SAME_TEXT("of acme", tenants_read(q, "a.txt"));
        YES(strstr(tenants_sessions(q), "acme's") != NULL);
        use(q, "umbra");
        SAME_TEXT("of umbra", tenants_read(q, "a.txt"));
        SAME_TEXT("", tenants_sessions(q));
    }
    quire_close(q);
    catalogue_sound();
}

TEST(a_tenant_that_cannot_be_entered_leaves_the_handle_where_it_was)
{
    quire *q;

    tenants_add("acme");
    tenants_add("shut");
    q = tenants_open("acme", 0);
    OK(quire_tenant_disable(q, "shut", 1, NULL, &test_err));
    IS(QUIRE_NOT_FOUND, quire_tenant_use(q, "nobody", &test_err));
    IS(QUIRE_NOT_FOUND, quire_tenant_use(q, "#99", &test_err));
    IS(QUIRE_INVALID, quire_tenant_use(q, "shut", &test_err));
    IS(QUIRE_INVALID, quire_tenant_use(q, "", &test_err));
    tenants_put(q, "a.txt", "of acme");
    quire_close(q);
    q = tenants_open("acme", 0);
    SAME_TEXT("of acme", tenants_read(q, "a.txt"));
    quire_close(q);
}

TEST(more_tenants_than_seats_are_all_served)
{
    quire *q;
    char name[16];
    int i, n = 40;

    for (i = 0; i < n; i++) {
        snprintf(name, sizeof name, "t%d", i);
        tenants_add(name);
    }
    q = tenants_open(NULL, 0);
    for (i = 0; i < 3 * n; i++) {
        snprintf(name, sizeof name, "t%d", i * 7 % n);
        use(q, name);
        if (i < n)
            tenants_put(q, "own", name);
        else
            SAME_TEXT(name, tenants_read(q, "own"));
    }
    quire_close(q);
}

/* ---- groups ------------------------------------------------------------- */

TEST(what_is_in_a_group_is_there_for_others_when_it_has_ended)
{
    quire *q, *other;
    quire_artifact one;

    tenants_add("acme");
    q = tenants_open(NULL, 0);
    other = tenants_open("acme", 0);
    OK(quire_group_begin(q, &test_err));
    tenants_put(q, "a.txt", "all's");
    use(q, "acme");
    tenants_put(q, "b.txt", "acme's");
    SAME_TEXT("acme's", tenants_read(q, "b.txt"));
    IS(QUIRE_NOT_FOUND,
       quire_artifact_stat(other, NULL, "b.txt", NULL, &one, &test_err));
    OK(quire_group_end(q, NULL, &test_err));
    SAME_TEXT("acme's", tenants_read(other, "b.txt"));
    quire_close(other);
    quire_close(q);
    EQ(0, tenants_recount());
    catalogue_sound();
}

TEST(a_call_that_is_refused_spoils_no_group)
{
    quire *q = tenants_open(NULL, 0);
    quire_artifact one;

    OK(quire_config_set(q, "quota.file", "10", &test_err));
    OK(quire_group_begin(q, &test_err));
    tenants_put(q, "a.txt", "small");
    IS(QUIRE_TOO_LARGE,
       quire_artifact_put(q, NULL, "b.txt", bytes_str("larger than that"), NULL,
                          &one, &test_err));
    IS(QUIRE_INVALID, quire_artifact_put(q, NULL, "../b", bytes_str("x"), NULL,
                                         &one, &test_err));
    IS(QUIRE_EXISTS, quire_artifact_put(q, NULL, "a.txt/b", bytes_str("x"),
                                        NULL, &one, &test_err));
    IS(QUIRE_NOT_FOUND, quire_memory_remove(q, 77, &test_err));
    tenants_put(q, "c.txt", "small");
    OK(quire_group_end(q, NULL, &test_err));
    quire_close(q);
    q = tenants_open(NULL, 0);
    SAME_TEXT("small", tenants_read(q, "a.txt"));
    SAME_TEXT("small", tenants_read(q, "c.txt"));
    quire_close(q);
    catalogue_sound();
}

TEST(groups_do_not_nest_and_have_no_batches_and_no_sessions)
{
    quire *q = tenants_open(NULL, 0);

    IS(QUIRE_INVALID, quire_group_end(q, NULL, &test_err));
    OK(quire_group_begin(q, &test_err));
    IS(QUIRE_INVALID, quire_group_begin(q, &test_err));
    IS(QUIRE_INVALID, quire_begin(q, &test_err));
    OK(quire_group_end(q, NULL, &test_err));
    OK(quire_begin(q, &test_err));
    IS(QUIRE_INVALID, quire_group_begin(q, &test_err));
    OK(quire_commit(q, &test_err));
    OK(quire_group_begin(q, &test_err));
    tenants_put(q, "a.txt", "never kept");
    quire_close(q);
    q = tenants_open(NULL, 0);
    EQ(0, catalogue_number("SELECT count(*) FROM artifact"));
    quire_close(q);
}

/* The files would be gone, and if the group is not kept the rows would not. */
TEST(sessions_and_tenants_are_not_removed_in_a_group)
{
    quire *q = tenants_open(NULL, 0);
    struct tenants_session s = tenants_session(q, "one"), theirs;
    quire *other;

    tenants_add("acme");
    other = tenants_open("acme", 0);
    theirs = tenants_session(other, "acme's");
    quire_close(other);
    OK(quire_artifact_put(q, s.id, "a", bytes_str("x"), NULL, NULL, &test_err));
    OK(quire_group_begin(q, &test_err));
    tenants_put(q, "a.txt", "kept");
    IS(QUIRE_INVALID, quire_session_remove(q, s.id, &test_err));
    YES(test_err.what[0] && test_err.next[0]);
    IS(QUIRE_INVALID, quire_tenant_remove(q, "acme", 1, &test_err));
    OK(quire_group_end(q, NULL, &test_err));
    SAME_TEXT("kept", tenants_read(q, "a.txt"));
    YES(test_exists(s.path) && test_exists(theirs.path));
    OK(quire_session_remove(q, s.id, &test_err));
    OK(quire_tenant_remove(q, "acme", 1, &test_err));
    NO(test_exists(s.path) || test_exists(theirs.path));
    quire_close(q);
    catalogue_sound();
}

/* Not even if there was no memory to undo it with, then. */
TEST(what_a_group_has_not_kept_is_not_seen_by_its_own_handle)
{
    quire *q = tenants_open(NULL, 0), *other = tenants_open(NULL, 0);
    long n;

    tenants_put(q, "a.txt", "kept");
    for (n = 1; n < 12; n++) {
        OK(quire_group_begin(q, &test_err));
        tenants_put(q, "a.txt", "not kept");
        sqlite_faults(true);
        fault_arm(n, ENOMEM, true);
        IS(QUIRE_OK, quire_group_end(q, NULL, &test_err) ? QUIRE_OK : QUIRE_IO);
        fault_disarm();
        sqlite_faults(false);
        SAME_TEXT("kept", tenants_read(q, "a.txt"));
        tenants_put(other, "b.txt", "nobody waits for it");
    }
    quire_close(other);
    quire_close(q);
    catalogue_sound();
}
