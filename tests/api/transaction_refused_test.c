/*
 * What is refused in a group. Each refusal there is comes between two puts: both
 * are kept, and of what was refused there is nothing, not even a number that was
 * taken. Whether it is refused may depend on what the group itself has done.
 */
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "support/catalog.h"
#include "support/failing.h"
#include "support/tenants.h"

static struct tenants_session full, bare; /* with an artifact, and with none */

static void add_entry(quire *q, const char *title, int64_t artifact)
{
    quire_memory_options o = QUIRE_MEMORY_OPTIONS_INIT;

    o.title = bytes_str(title);
    o.content = bytes_str("what there is to say");
    o.artifact = artifact;
    OK(quire_memory_add(q, NULL, &o, NULL, &test_err));
}

static void furnish(void)
{
    quire *q = tenants_open(NULL, 0);
    quire_folder folder;

    full = tenants_session(q, "full");
    bare = tenants_session(q, "bare");
    tenants_put(q, "a", "walrus");
    tenants_put(q, "away", "a penguin that takes forty bytes of room");
    OK(quire_artifact_remove(q, NULL, "away", 0, &test_err));
    tenants_put(q, "twice", "the first of the name");
    OK(quire_artifact_remove(q, NULL, "twice", 0, &test_err));
    tenants_put(q, "twice", "the second of the name");
    OK(quire_artifact_put(q, full.id, "f", bytes_str("of the session"), NULL,
                          NULL, &test_err));
    add_entry(q, "the first", 1);
    add_entry(q, "the second", 0);
    add_entry(q, "that has ended", 0);
    OK(quire_memory_invalidate(q, 3, 0, &test_err));
    OK(quire_relation_add(q, 1, QUIRE_REFINES, 2, NULL, &test_err));
    OK(quire_folder_add(q, "red", &folder, &test_err));
    OK(quire_folder_add(q, "blue", &folder, &test_err));
    OK(quire_config_set(q, "quota.file", "1000", &test_err));
    OK(quire_config_set(q, "quota.session", "300", &test_err));
    OK(quire_config_set(q, "quota.tenant", "400", &test_err));
    quire_close(q);
    tenants_add("shut");
    q = tenants_open(NULL, 0);
    OK(quire_tenant_disable(q, "shut", 1, NULL, &test_err));
    quire_close(q);
    catalogue_copy(test_path("home"), test_path("ground"));
}

/* ---- refusals ----------------------------------------------------------- */

static quire_bytes letters(size_t n)
{
    static char text[4 << 20];

    memset(text, 'x', sizeof text);
    return bytes_of(text, n);
}

static quire_status put(quire *q, const char *session, const char *path,
                        size_t n)
{
    quire_artifact a;

    return quire_artifact_put(q, session, path, letters(n), NULL, &a,
                              &test_err);
}

static quire_status put_expecting(quire *q, const char *path,
                                  const char *expect)
{
    quire_artifact_options o = QUIRE_ARTIFACT_OPTIONS_INIT;

    o.expect = expect;
    return quire_artifact_put(q, NULL, path, bytes_str("other"), &o, NULL,
                              &test_err);
}

static quire_status too_large(quire *q)
{
    return put(q, NULL, "b", 1001);
}

static quire_status beyond_session(quire *q)
{
    return put(q, NULL, "b", 290);
}

/* Its row would be the first thing that is written. */
static quire_status beyond_session_at_first(quire *q)
{
    return put(q, bare.id, "b", 301);
}

static quire_status beyond_tenant(quire *q)
{
    return put(q, bare.id, "b", 299) ? QUIRE_IO : put(q, full.id, "b", 200);
}

static quire_status a_version_beyond_session(quire *q)
{
    return put(q, NULL, "a", 400);
}

static quire_status below_a_file(quire *q)
{
    return put(q, NULL, "a/b", 1);
}

static quire_status below_a_file_of_the_group(quire *q)
{
    return put(q, NULL, "first/b", 1);
}

static quire_status no_path(quire *q)
{
    return put(q, NULL, "../b", 1);
}

static quire_status no_session(quire *q)
{
    return put(q, "0123456789abcdef", "b", 1);
}

static quire_status there_already(quire *q)
{
    return put_expecting(q, "a", "none");
}

static quire_status put_by_the_group(quire *q)
{
    return put_expecting(q, "first", "none");
}

static quire_status not_what_is_expected(quire *q)
{
    static const char other[] = "00000000000000000000000000000000000000000000"
                                "00000000000000000000";

    return put_expecting(q, "a", other);
}

static quire_status nothing_to_expect(quire *q)
{
    static const char other[] = "00000000000000000000000000000000000000000000"
                                "00000000000000000000";

    return put_expecting(q, "b", other);
}

static quire_status meta_is_no_object(quire *q)
{
    quire_artifact_options o = QUIRE_ARTIFACT_OPTIONS_INIT;

    o.meta = "[1]";
    return quire_artifact_put(q, NULL, "b", bytes_str("x"), &o, NULL,
                              &test_err);
}

static quire_status remove_nothing(quire *q)
{
    return quire_artifact_remove(q, NULL, "nothing", 0, &test_err);
}

static quire_status purge_nothing(quire *q)
{
    return quire_artifact_remove(q, NULL, "#99", 1, &test_err);
}

static quire_status remove_what_changed(quire *q)
{
    static const char other[] = "00000000000000000000000000000000000000000000"
                                "00000000000000000000";

    return quire_artifact_remove_expected(q, NULL, "a", 0, other, &test_err);
}

static quire_status restore_nothing(quire *q)
{
    return quire_artifact_restore(q, NULL, "a", NULL, &test_err);
}

static quire_status restore_over_another(quire *q)
{
    return quire_artifact_restore(q, NULL, "twice", NULL, &test_err);
}

static quire_status restore_beyond_quota(quire *q)
{
    return put(q, NULL, "filling", 240)
               ? QUIRE_IO
               : quire_artifact_restore(q, NULL, "away", NULL, &test_err);
}

static quire_memory_options entry(void)
{
    quire_memory_options o = QUIRE_MEMORY_OPTIONS_INIT;

    o.title = bytes_str("refused");
    o.content = bytes_str("whatever it says");
    return o;
}

static quire_status supersede_nothing(quire *q)
{
    quire_memory_options o = entry();
    static const int64_t old[] = {1, 99};

    o.supersedes = old;
    o.n_supersedes = 2;
    return quire_memory_add(q, NULL, &o, NULL, &test_err);
}

static quire_status supersede_what_ended(quire *q)
{
    quire_memory_options o = entry();
    static const int64_t old[] = {2, 3};

    o.supersedes = old;
    o.n_supersedes = 2;
    return quire_memory_add(q, NULL, &o, NULL, &test_err);
}

/* It would have ended before it began. */
static quire_status supersede_what_is_newer(quire *q)
{
    quire_memory_options o = entry();
    static const int64_t old[] = {2, 1};

    o.supersedes = old;
    o.n_supersedes = 2;
    o.created_us = 1000000;
    return quire_memory_add(q, NULL, &o, NULL, &test_err);
}

/* The number that it would get itself. */
static quire_status supersede_itself(quire *q)
{
    quire_memory_options o = entry();
    static const int64_t old[] = {1, 4};

    o.supersedes = old;
    o.n_supersedes = 2;
    return quire_memory_add(q, NULL, &o, NULL, &test_err);
}

static quire_status link_nothing(quire *q)
{
    quire_memory_options o = entry();

    o.artifact = 99;
    return quire_memory_add(q, NULL, &o, NULL, &test_err);
}

static quire_status link_out_of_a_session(quire *q)
{
    quire_memory_options o = entry();

    o.artifact = 3;
    return quire_memory_add(q, bare.id, &o, NULL, &test_err);
}

static quire_status remember_in_no_session(quire *q)
{
    quire_memory_options o = entry();

    return quire_memory_add(q, "0123456789abcdef", &o, NULL, &test_err);
}

static quire_status remember_without_title(quire *q)
{
    quire_memory_options o = entry();

    o.title = bytes_str("");
    return quire_memory_add(q, NULL, &o, NULL, &test_err);
}

static quire_status edit_nothing(quire *q)
{
    quire_memory_options o = entry();

    return quire_memory_edit(q, NULL, 99, &o, NULL, &test_err);
}

static quire_status edit_to_link_nothing(quire *q)
{
    quire_memory_options o = entry();

    o.artifact = 99;
    return quire_memory_edit(q, NULL, 1, &o, NULL, &test_err);
}

static quire_status edit_from_a_bare_session(quire *q)
{
    quire_memory_options o = entry();

    o.artifact = 3;
    return quire_memory_edit(q, bare.id, 2, &o, NULL, &test_err);
}

static quire_status edit_what_ended(quire *q)
{
    quire_memory_options o = entry();

    return quire_memory_edit(q, NULL, 3, &o, NULL, &test_err);
}

static quire_status end_before_it_began(quire *q)
{
    return quire_memory_invalidate(q, 1, 1000000, &test_err);
}

static quire_status end_what_ended(quire *q)
{
    return quire_memory_invalidate(q, 3, 0, &test_err);
}

static quire_status forget_nothing(quire *q)
{
    return quire_memory_remove(q, 99, &test_err);
}

static quire_status relate_to_nothing(quire *q)
{
    return quire_relation_add(q, 1, QUIRE_SUPPORTS, 99, NULL, &test_err);
}

static quire_status relate_to_itself(quire *q)
{
    return quire_relation_add(q, 1, QUIRE_SUPPORTS, 1, NULL, &test_err);
}

static quire_status relate_again(quire *q)
{
    return quire_relation_add(q, 1, QUIRE_REFINES, 2, NULL, &test_err);
}

static quire_status supersede_by_a_relation(quire *q)
{
    return quire_relation_add(q, 1, QUIRE_SUPERSEDES, 3, NULL, &test_err);
}

static quire_status supersede_by_what_ended(quire *q)
{
    return quire_relation_add(q, 3, QUIRE_SUPERSEDES, 1, NULL, &test_err);
}

static quire_status unrelate_nothing(quire *q)
{
    return quire_relation_remove(q, 99, &test_err);
}

static quire_status pad_too_long(quire *q)
{
    return quire_pad_append(q, "new", letters(4 << 20), NULL, &test_err);
}

static quire_status pad_is_full(quire *q)
{
    quire_bytes half = letters(3 << 20);

    return quire_pad_append(q, "new", half, NULL, &test_err)
               ? QUIRE_IO
               : quire_pad_append(q, "new", half, NULL, &test_err);
}

static quire_status pad_without_text(quire *q)
{
    return quire_pad_append(q, "new", bytes_str(""), NULL, &test_err);
}

static quire_status pad_is_no_utf8(quire *q)
{
    return quire_pad_append(q, "new", bytes_of("\xff", 1), NULL, &test_err);
}

static quire_status folder_again(quire *q)
{
    quire_folder folder;

    return quire_folder_add(q, "red", &folder, &test_err);
}

static quire_status folder_becomes_another(quire *q)
{
    quire_folder folder;

    return quire_folder_rename(q, 2, "red", &folder, &test_err);
}

static quire_status no_folder(quire *q)
{
    return quire_folder_remove(q, 99, &test_err);
}

/* The session gets its number, as it would alone. */
static quire_status file_in_no_folder(quire *q)
{
    return quire_session_file(q, bare.id, 99, &test_err);
}

static quire_status file_no_session(quire *q)
{
    return quire_session_file(q, "0123456789abcdef", 1, &test_err);
}

static quire_status no_key(quire *q)
{
    quire_idempotency claim;

    return quire_idempotency_begin(q, "", bytes_str("x"), bytes_str(""), &claim,
                                   &test_err);
}

static quire_status unpin_nothing(quire *q)
{
    quire_digest none = {{0}};

    return quire_blob_unpin(q, &none, &test_err);
}

static quire_status pin_nothing(quire *q)
{
    quire_digest none = {{0}};

    return quire_blob_pin(q, &none, &test_err);
}

static quire_status a_tenant_who_is_shut_out(quire *q)
{
    return quire_tenant_use(q, "shut", &test_err);
}

static quire_status a_tenant_there_is_not(quire *q)
{
    return quire_tenant_use(q, "#77", &test_err);
}

/* It claims a key, is refused, and gives the key back. */
static quire_status refused_under_a_key(quire *q)
{
    quire_idempotency claim;
    quire_status st;

    OK(quire_idempotency_begin(q, "key", bytes_str("x"), bytes_str(""), &claim,
                               &test_err));
    YES(claim.fresh);
    st = beyond_session(q);
    OK(quire_idempotency_end(q, "key", 0, bytes_str(""), NULL));
    return st;
}

enum { CHANGES = 1 }; /* it does something that is not refused, first */

static const struct refusal {
    const char *name;
    quire_status (*run)(quire *q);
    unsigned flags;
} refusals[] = {
#define REFUSAL(name)  \
    {                  \
#name, name, 0 \
    }
#define PARTLY(name)         \
    {                        \
#name, name, CHANGES \
    }
    REFUSAL(too_large),
    REFUSAL(beyond_session),
    REFUSAL(beyond_session_at_first),
    PARTLY(beyond_tenant),
    REFUSAL(a_version_beyond_session),
    REFUSAL(below_a_file),
    REFUSAL(below_a_file_of_the_group),
    REFUSAL(no_path),
    REFUSAL(no_session),
    REFUSAL(there_already),
    REFUSAL(put_by_the_group),
    REFUSAL(not_what_is_expected),
    REFUSAL(nothing_to_expect),
    REFUSAL(meta_is_no_object),
    REFUSAL(remove_nothing),
    REFUSAL(purge_nothing),
    REFUSAL(remove_what_changed),
    REFUSAL(restore_nothing),
    REFUSAL(restore_over_another),
    PARTLY(restore_beyond_quota),
    REFUSAL(supersede_nothing),
    REFUSAL(supersede_what_ended),
    REFUSAL(supersede_what_is_newer),
    REFUSAL(supersede_itself),
    REFUSAL(link_nothing),
    REFUSAL(link_out_of_a_session),
    REFUSAL(remember_in_no_session),
    REFUSAL(remember_without_title),
    REFUSAL(edit_nothing),
    REFUSAL(edit_to_link_nothing),
    REFUSAL(edit_from_a_bare_session),
    REFUSAL(edit_what_ended),
    REFUSAL(end_before_it_began),
    REFUSAL(end_what_ended),
    REFUSAL(forget_nothing),
    REFUSAL(relate_to_nothing),
    REFUSAL(relate_to_itself),
    REFUSAL(relate_again),
    REFUSAL(supersede_by_a_relation),
    REFUSAL(supersede_by_what_ended),
    REFUSAL(unrelate_nothing),
    REFUSAL(pad_too_long),
    PARTLY(pad_is_full),
    REFUSAL(pad_without_text),
    REFUSAL(pad_is_no_utf8),
    REFUSAL(folder_again),
    REFUSAL(folder_becomes_another),
    REFUSAL(no_folder),
    PARTLY(file_in_no_folder),
    REFUSAL(file_no_session),
    REFUSAL(no_key),
    REFUSAL(unpin_nothing),
    REFUSAL(pin_nothing),
    REFUSAL(a_tenant_who_is_shut_out),
    REFUSAL(a_tenant_there_is_not),
    REFUSAL(refused_under_a_key),
};

static bool is_refusal(quire_status st)
{
    return st == QUIRE_QUOTA || st == QUIRE_TOO_LARGE || st == QUIRE_EXISTS ||
           st == QUIRE_NOT_FOUND || st == QUIRE_CHANGED || st == QUIRE_INVALID;
}

/* Two puts with something in between; the state after. */
static const char *with(const struct refusal *r, bool grouped)
{
    quire *q;
    quire_status st;

    catalogue_copy(test_path("ground"), test_path("home"));
    q = failing_open();
    if (grouped)
        OK(quire_group_begin(q, &test_err));
    tenants_put(q, "first", "kept");
    st = r ? r->run(q) : QUIRE_OK;
    if (r && !is_refusal(st))
        fprintf(stderr, "%s: %s\n", r->name, quire_status_name(st));
    YES(!r || is_refusal(st));
    st = quire_artifact_put(q, NULL, "last", bytes_str("kept too"), NULL, NULL,
                            &test_err);
    if (grouped && !st)
        st = quire_group_end(q, NULL, &test_err);
    if (st)
        fprintf(stderr, "%s spoils the group\n", r ? r->name : "nothing");
    OK(st);
    quire_close(q);
    return catalogue_dump();
}

TEST(whatever_is_refused_in_a_group_spoils_it_for_nobody)
{
    const char *plain, *now;
    size_t i;

    furnish();
    plain = with(NULL, false);
    SAME_TEXT(plain, with(NULL, true));
    for (i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        const struct refusal *r = &refusals[i];

        now = with(r, true);
        if (r->flags & CHANGES)
            SAME_TEXT(with(r, false), now);
        else if (strcmp(plain, now) != 0)
            fprintf(stderr, "%s left something\n", r->name);
        if (!(r->flags & CHANGES))
            SAME_TEXT(plain, now);
        EQ(0, catalogue_number("SELECT count(*) FROM claim"));
        if (i % 8 == 0)
            catalogue_sound();
    }
    catalogue_sound();
}

/* The quota is counted with what the group has put before. */
TEST(a_group_counts_what_it_has_put_itself)
{
    quire *q;
    int i, fits = 0;
    char path[16];

    furnish();
    q = failing_open();
    OK(quire_group_begin(q, &test_err));
    for (i = 0; i < 10; i++) {
        snprintf(path, sizeof path, "p%d", i);
        fits += put(q, bare.id, path, 90) == QUIRE_OK;
    }
    EQ(3, fits);
    OK(quire_group_end(q, NULL, &test_err));
    EQ(3, catalogue_number("SELECT count(*) FROM artifact WHERE path GLOB "
                           "'p?'"));
    EQ(0, tenants_recount());
    quire_close(q);
    catalogue_sound();
}
