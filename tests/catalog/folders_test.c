/* Folders: a label that sessions wear, and the record of what an admin did. */
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "support/catalog.h"
#include "support/older.h"
#include "support/test.h"

static quire *open_home(const char *tenant)
{
    quire_options o = QUIRE_OPTIONS_INIT;
    quire *q;

    o.home = test_path("home");
    o.tenant = tenant;
    o.actor = "tester";
    OK(quire_open(&o, &q, &test_err));
    return q;
}

static void new_session(quire *q, char id[64])
{
    quire_session_options o = QUIRE_SESSION_OPTIONS_INIT;
    quire_session_info info;
    quire_session *s;

    o.cwd = "/";
    o.flags = QUIRE_SESSION_AT_ONCE;
    OK(quire_session_new(q, &o, &s, &test_err));
    quire_session_describe(s, &info);
    snprintf(id, 64, "%s", info.id);
    quire_session_close(s);
}

static quire_status add_folder(void *ctx, const quire_folder *f,
                               quire_error *err)
{
    (void)err;
    buf_addf(ctx, "%s:%d ", f->name, (int)f->sessions);
    return QUIRE_OK;
}

static void lists(quire *q, const char *want)
{
    struct buf got = BUF_INIT(4096);

    OK(quire_folder_list(q, add_folder, &got, &test_err));
    SAME_TEXT(want, buf_text(&got));
    buf_release(&got);
}

static quire_status count_row(void *ctx, const quire_session_row *row,
                              quire_error *err)
{
    (void)row;
    (void)err;
    ++*(int *)ctx;
    return QUIRE_OK;
}

static int rows_in(quire *q, int64_t folder)
{
    quire_row_options o = QUIRE_ROW_OPTIONS_INIT;
    int n = 0;

    o.folder = folder;
    OK(quire_session_rows(q, &o, count_row, &n, &test_err));
    return n;
}

TEST(a_session_is_filed_in_one_folder_or_in_none)
{
    quire *q = open_home("default");
    quire_folder work, home;
    quire_session_row row;
    char a[64], b[64];

    lists(q, "");
    new_session(q, a);
    new_session(q, b);
    OK(quire_folder_add(q, " work ", &work, &test_err));
    OK(quire_folder_add(q, "home", &home, &test_err));
    IS(QUIRE_EXISTS, quire_folder_add(q, "work", &work, &test_err));
    IS(QUIRE_INVALID, quire_folder_add(q, " \n", &work, &test_err));
    IS(QUIRE_INVALID, quire_folder_add(q, "\xff", &work, &test_err));
    OK(quire_session_file(q, a, work.id, &test_err));
    OK(quire_session_file(q, a, home.id, &test_err));
    OK(quire_session_row_of(q, a, &row, &test_err));
    EQ(home.id, row.folder);
    lists(q, "home:1 work:0 ");
    EQ(1, rows_in(q, home.id));
    EQ(0, rows_in(q, work.id));
    EQ(1, rows_in(q, -1));
    EQ(2, rows_in(q, 0));
    IS(QUIRE_NOT_FOUND, quire_session_file(q, a, 99, &test_err));
    IS(QUIRE_NOT_FOUND, quire_session_file(q, "nothing", 1, &test_err));
    OK(quire_folder_remove(q, home.id, &test_err));
    IS(QUIRE_NOT_FOUND, quire_folder_remove(q, home.id, &test_err));
    EQ(2, rows_in(q, -1));
    OK(quire_session_file(q, b, work.id, &test_err));
    OK(quire_session_remove(q, b, &test_err));
    lists(q, "work:0 ");
    OK(quire_session_file(q, a, 0, &test_err));
    quire_close(q);
}

TEST(a_folder_is_its_tenants_alone)
{
    quire *q = open_home("default"), *other;
    char token[QUIRE_TOKEN_SIZE], a[64];
    quire_row_options o = QUIRE_ROW_OPTIONS_INIT;
    quire_folder f;
    int n = 0;

    OK(quire_tenant_add(q, "other", token, NULL, &test_err));
    OK(quire_folder_add(q, "mine", &f, &test_err));
    other = open_home("other");
    lists(other, "");
    new_session(other, a);
    IS(QUIRE_NOT_FOUND, quire_session_file(other, a, f.id, &test_err));
    IS(QUIRE_NOT_FOUND, quire_folder_rename(other, f.id, "x", &f, &test_err));
    IS(QUIRE_NOT_FOUND, quire_folder_remove(other, f.id, &test_err));
    IS(QUIRE_NOT_FOUND, quire_folder_get(other, f.id, &f, &test_err));
    o.folder = f.id;
    IS(QUIRE_NOT_FOUND,
       quire_session_rows(other, &o, count_row, &n, &test_err));
    OK(quire_folder_add(other, "mine", &f, &test_err));
    OK(quire_session_file(other, a, f.id, &test_err));
    lists(other, "mine:1 ");
    quire_close(other);
    OK(quire_tenant_remove(q, "other", 1, &test_err));
    lists(q, "mine:0 ");
    quire_close(q);
}

TEST(folders_have_positions_and_an_older_catalogue_has_none)
{
    quire *q = open_home("default"), *other;
    quire_options o = QUIRE_OPTIONS_INIT;
    char token[QUIRE_TOKEN_SIZE];
    quire_folder a, b;

    OK(quire_folder_add(q, "a", &a, &test_err));
    OK(quire_folder_add(q, "b", &b, &test_err));
    OK(quire_folder_place(q, a.id, 3, &a, &test_err));
    EQ(3, a.position);
    lists(q, "b:0 a:0 ");
    OK(quire_folder_get(q, a.id, &a, &test_err));
    EQ(3, a.position);
    IS(QUIRE_INVALID, quire_folder_place(q, a.id, UINT64_MAX, &a, &test_err));
    IS(QUIRE_NOT_FOUND, quire_folder_place(q, 999, 1, &a, &test_err));
    OK(quire_tenant_add(q, "other", token, NULL, &test_err));
    other = open_home("other");
    IS(QUIRE_NOT_FOUND, quire_folder_place(other, b.id, 9, &a, &test_err));
    quire_close(other);
    lists(q, "b:0 a:0 ");
    quire_close(q);
    test_undo_steps(17);
    o.home = test_path("home");
    o.flags = QUIRE_READ_ONLY;
    OK(quire_open(&o, &q, &test_err));
    lists(q, "a:0 b:0 ");
    OK(quire_folder_get(q, b.id, &b, &test_err));
    EQ(0, b.position);
    quire_close(q);
}

TEST(a_session_keeps_the_agent_that_a_client_named)
{
    quire *q = open_home("default");
    quire_session_row row;
    char a[64];

    new_session(q, a);
    OK(quire_session_row_of(q, a, &row, &test_err));
    YES(!row.agent && !row.agent_def);
    OK(quire_session_set_agent(q, a, "one", NULL, &test_err));
    OK(quire_session_row_of(q, a, &row, &test_err));
    SAME_TEXT("one", row.agent);
    YES(!row.agent_def);
    OK(quire_session_set_agent(q, a, "two", "{\"x\":1}", &test_err));
    OK(quire_session_row_of(q, a, &row, &test_err));
    SAME_TEXT("two", row.agent);
    SAME_TEXT("{\"x\":1}", row.agent_def);
    IS(QUIRE_INVALID, quire_session_set_agent(q, a, "a b", NULL, &test_err));
    IS(QUIRE_INVALID, quire_session_set_agent(q, a, "", NULL, &test_err));
    IS(QUIRE_INVALID, quire_session_set_agent(q, a, "a", "{", &test_err));
    IS(QUIRE_NOT_FOUND,
       quire_session_set_agent(q, "0000aaaa", "a", NULL, &test_err));
    OK(quire_session_remove(q, a, &test_err));
    quire_close(q);
}

static quire_status add_change(void *ctx, const quire_audit *c,
                               quire_error *err)
{
    (void)err;
    SAME_TEXT("tester", c->actor);
    buf_addf(ctx, "%s %s %s>%s\n", c->action, c->name, c->before ? "x" : "-",
             c->after ? "x" : "-");
    return QUIRE_OK;
}

TEST(what_is_done_to_tenants_and_settings_is_noted_if_it_was_done)
{
    quire *q = open_home("default");
    struct buf got = BUF_INIT(4096);
    char token[QUIRE_TOKEN_SIZE];

    OK(quire_audit_list(q, 0, 0, add_change, &got, &test_err));
    EQ(0, got.len);
    OK(quire_tenant_add(q, "ann", token, NULL, &test_err));
    IS(QUIRE_EXISTS, quire_tenant_add(q, "ann", token, NULL, &test_err));
    OK(quire_tenant_disable(q, "ann", 1, NULL, &test_err));
    OK(quire_tenant_disable(q, "ann", 1, NULL, &test_err));
    IS(QUIRE_INVALID, quire_config_set(q, "quota.file", "x", &test_err));
    OK(quire_config_set(q, "quota.file", "7", &test_err));
    OK(quire_config_set(q, "quota.file", "7", &test_err));
    OK(quire_config_set(q, "quota.file", NULL, &test_err));
    OK(quire_tenant_remove(q, "ann", 0, &test_err));
    OK(quire_audit_list(q, 0, 0, add_change, &got, &test_err));
    SAME_TEXT("tenant.remove ann x>-\n"
              "config.set quota.file x>-\n"
              "config.set quota.file ->x\n"
              "tenant.disable ann x>x\n"
              "tenant.add ann ->x\n",
              buf_text(&got));
    buf_clear(&got);
    OK(quire_audit_list(q, 3, 1, add_change, &got, &test_err));
    SAME_TEXT("tenant.disable ann x>x\n", buf_text(&got));
    buf_release(&got);
    quire_close(q);
}
