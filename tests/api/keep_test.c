/* Pins and holds: what they keep, who is told, and where they are shown. */
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "support/catalog.h"
#include "support/tenants.h"

static quire_session_keep keep_of(quire *q, const char *which)
{
    quire_session_keep keep;

    OK(quire_session_keep_of(q, which, &keep, &test_err));
    return keep;
}

static quire_status add_session(void *ctx, const quire_session_info *info,
                                quire_error *err)
{
    (void)err;
    buf_addf(ctx, "%s:%s%s%s ", info->title, info->pinned ? "p" : "",
             info->held ? "h" : "", info->hold_reason ? info->hold_reason : "");
    return QUIRE_OK;
}

static quire_status add_row(void *ctx, const quire_session_row *row,
                            quire_error *err)
{
    return add_session(ctx, row->info, err);
}

/* By both lists; pinned ones only, or all. */
static void listed(quire *q, int pinned, const char *wanted)
{
    quire_list_options o = QUIRE_LIST_OPTIONS_INIT;
    quire_row_options rows = QUIRE_ROW_OPTIONS_INIT;
    struct buf got = BUF_INIT(4096);

    o.pinned = rows.pinned = pinned;
    OK(quire_session_list(q, &o, add_session, &got, &test_err));
    SAME_TEXT(wanted, buf_text(&got));
    buf_clear(&got);
    OK(quire_session_rows(q, &rows, add_row, &got, &test_err));
    SAME_TEXT(wanted, buf_text(&got));
    buf_release(&got);
}

TEST(a_pinned_session_is_listed_as_such_until_it_is_unpinned)
{
    quire *q = tenants_open(NULL, 0);
    struct tenants_session s = tenants_session(q, "one");
    quire_session_row row;
    const char *path;
    int64_t since;

    listed(q, 0, "one: ");
    listed(q, 1, "");
    EQ(0, keep_of(q, s.id).pinned_us);
    OK(quire_session_pin(q, s.id, 1, &test_err));
    since = keep_of(q, s.id).pinned_us;
    YES(since > 0);
    OK(quire_session_pin(q, s.id, 1, &test_err));
    EQ(since, keep_of(q, s.id).pinned_us);
    listed(q, 0, "one:p ");
    listed(q, 1, "one:p ");
    OK(quire_session_row_of(q, s.id, &row, &test_err));
    YES(row.info->pinned);
    OK(quire_session_archive(q, s.id, &path, &test_err));
    EQ(since, keep_of(q, s.id).pinned_us);
    OK(quire_session_unarchive(q, s.id, &path, &test_err));
    OK(quire_session_pin(q, s.id, 0, &test_err));
    listed(q, 1, "");
    IS(QUIRE_NOT_FOUND, quire_session_pin(q, "zz", 1, &test_err));
    quire_close(q);
    catalogue_sound();
}

TEST(a_held_session_is_not_removed_and_the_refusal_says_who_holds_it_and_why)
{
    quire *q = tenants_open(NULL, 0);
    struct tenants_session s = tenants_session(q, "one");
    quire_session_keep keep;

    OK(quire_session_hold(q, s.id, "case 12", &test_err));
    keep = keep_of(q, s.id);
    YES(keep.held_us > 0);
    HAS(keep.holder, "uid:");
    SAME_TEXT("case 12", keep.reason);
    listed(q, 0, "one:hcase 12 ");
    OK(quire_session_hold(q, s.id, "case 12", &test_err));
    IS(QUIRE_EXISTS, quire_session_hold(q, s.id, "another", &test_err));
    IS(QUIRE_EXISTS, quire_session_remove(q, s.id, &test_err));
    HAS(test_err.what, "case 12");
    HAS(test_err.what, "uid:");
    YES(test_exists(s.path));
    EQ(0, catalogue_number("SELECT count(*) FROM removal"));
    OK(quire_session_release(q, s.id, &test_err));
    OK(quire_session_release(q, s.id, &test_err));
    EQ(0, keep_of(q, s.id).held_us);
    EQ(2, catalogue_number("SELECT count(*) FROM journal WHERE action LIKE"
                           " 'session.%'"));
    OK(quire_session_remove(q, s.id, &test_err));
    EQ(0, catalogue_number("SELECT count(*) FROM session_keep"));
    quire_close(q);
    catalogue_sound();
}

TEST(a_reason_is_text_of_1_to_500_bytes)
{
    quire *q = tenants_open(NULL, 0);
    struct tenants_session s = tenants_session(q, "one");
    char text[502];

    memset(text, 'x', sizeof text);
    text[501] = '\0';
    IS(QUIRE_INVALID, quire_session_hold(q, s.id, text, &test_err));
    IS(QUIRE_INVALID, quire_session_hold(q, s.id, "", &test_err));
    IS(QUIRE_INVALID, quire_session_hold(q, s.id, "a\nb", &test_err));
    IS(QUIRE_INVALID, quire_session_hold(q, s.id, "\xff", &test_err));
    text[500] = '\0';
    OK(quire_session_hold(q, s.id, text, &test_err));
    SAME_TEXT(text, keep_of(q, s.id).reason);
    quire_close(q);
}

/* Put three versions, delete another artifact, and collect with one version kept and
 * no time for deleted ones. */
TEST(a_collection_removes_no_version_and_no_artifact_of_a_held_session)
{
    quire_collect_options o = QUIRE_COLLECT_OPTIONS_INIT;
    quire_collect_report report;
    quire *q = tenants_open(NULL, 0);
    struct tenants_session held = tenants_session(q, "held"),
                           free = tenants_session(q, "free");
    const char *ids[] = {held.id, free.id};
    quire_artifact a;
    char text[32];
    int i, k;

    OK(quire_config_set(q, "gc.purge", "0", &test_err));
    for (i = 0; i < 2; i++) {
        for (k = 0; k < 3; k++) {
            snprintf(text, sizeof text, "version %d of %d", k, i);
            OK(quire_artifact_put(q, ids[i], "a", bytes_str(text), NULL, &a,
                                  &test_err));
        }
        snprintf(text, sizeof text, "deleted %d", i);
        OK(quire_artifact_put(q, ids[i], "b", bytes_str(text), NULL, &a,
                              &test_err));
        OK(quire_artifact_remove(q, ids[i], "b", 0, &test_err));
    }
    OK(quire_session_hold(q, held.id, "case 12", &test_err));
    OK(quire_config_set(q, "versions.kept", "1", &test_err));
    o.grace_s = 0;
    o.flags = QUIRE_COLLECT_YES | QUIRE_COLLECT_DRY_RUN;
    OK(quire_collect(q, &o, &report, &test_err));
    EQ(2, report.versions);
    EQ(1, report.purged);
    o.flags = QUIRE_COLLECT_YES;
    OK(quire_collect(q, &o, &report, &test_err));
    EQ(2, report.versions);
    EQ(1, report.purged);
    EQ(1, catalogue_number("SELECT count(*) FROM artifact WHERE deleted > 0"));
    OK(quire_artifact_restore(q, held.id, "b", &a, &test_err));
    IS(QUIRE_EXISTS, quire_artifact_remove(q, held.id, "b", 1, &test_err));
    OK(quire_artifact_remove(q, held.id, "b", 0, &test_err));
    OK(quire_session_release(q, held.id, &test_err));
    OK(quire_collect(q, &o, &report, &test_err));
    EQ(2, report.versions);
    EQ(1, report.purged);
    quire_close(q);
    catalogue_sound();
}

TEST(a_tenant_with_a_held_session_is_not_removed)
{
    quire *q = tenants_open(NULL, 0), *own;
    struct tenants_session s;

    tenants_add("acme");
    own = tenants_open("acme", 0);
    s = tenants_session(own, "one");
    OK(quire_session_hold(own, s.id, "case 12", &test_err));
    IS(QUIRE_EXISTS, quire_tenant_remove(q, "acme", 1, &test_err));
    HAS(test_err.what, "1 held session");
    YES(test_exists(s.path));
    OK(quire_session_release(own, s.id, &test_err));
    quire_close(own);
    OK(quire_tenant_remove(q, "acme", 1, &test_err));
    quire_close(q);
}

static quire_status add_hit(void *ctx, const quire_search_hit *hit,
                            quire_error *err)
{
    (void)err;
    buf_addf(ctx, "%s ", hit->title);
    return QUIRE_OK;
}

static void finds(quire *q, const char *query, const char *wanted)
{
    struct buf got = BUF_INIT(4096);
    quire_search_options o = QUIRE_SEARCH_OPTIONS_INIT;

    OK(quire_search(q, bytes_str(query), &o, add_hit, &got, NULL, &test_err));
    SAME_TEXT(wanted, buf_text(&got));
    buf_release(&got);
}

TEST(a_search_finds_what_is_in_pinned_sessions_alone)
{
    quire *q = tenants_open(NULL, 0);
    struct tenants_session a = tenants_session(q, "walrus a");

    tenants_session(q, "walrus b");
    OK(quire_session_hold(q, a.id, "not pinned", &test_err));
    finds(q, "walrus is:pinned", "");
    OK(quire_session_pin(q, a.id, 1, &test_err));
    finds(q, "walrus is:pinned", "walrus a ");
    finds(q, "walrus -is:pinned", "walrus b ");
    quire_close(q);
}
