/*
 * Tenants through the public header: who there is, by what token, and that
 * what is one's is not there for another.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "support/tenants.h"

/* ---- who there is ------------------------------------------------------- */

static quire_status add_name(void *ctx, const quire_tenant *t, quire_error *err)
{
    (void)err;
    buf_addf(ctx, "#%lld:%s:%d:%llu:%llu ", (long long)t->id, t->name,
             t->disabled, (unsigned long long)t->artifacts,
             (unsigned long long)t->used);
    return QUIRE_OK;
}

static void lists(quire *q, const char *wanted)
{
    struct buf got = BUF_INIT(1 << 20);

    OK(quire_tenant_list(q, add_name, &got, &test_err));
    SAME(bytes_str(wanted), buf_bytes(&got));
    buf_release(&got);
}

TEST(a_home_has_the_default_tenant_before_it_is_there)
{
    quire *q = tenants_open(NULL, QUIRE_READ_ONLY);
    quire_tenant t;

    lists(q, "#1:default:0:0:0 ");
    OK(quire_tenant_get(q, "#1", &t, &test_err));
    SAME_TEXT("default", t.name);
    NO(t.has_token);
    IS(QUIRE_NOT_FOUND, quire_tenant_get(q, "acme", &t, &test_err));
    quire_close(q);
    tenants_refused("acme", QUIRE_NOT_FOUND);
    tenants_refused("#2", QUIRE_NOT_FOUND);
    tenants_refused("", QUIRE_INVALID);
    NO(test_exists(test_path("home")));
}

static void note_line(void *ctx, const char *line)
{
    (void)line;
    ++*(int *)ctx;
}

TEST(opening_for_the_default_tenant_asks_nothing_of_disk_or_database)
{
    static const char *const names[] = {"default", "#1", NULL};
    quire_options o = QUIRE_OPTIONS_INIT;
    int lines = 0, i;
    quire *q;

    tenants_add("acme");
    o.home = test_path("home");
    o.trace = note_line;
    o.trace_ctx = &lines;
    for (i = 0; i < 3; i++) {
        o.tenant = names[i];
        OK(quire_open(&o, &q, &test_err));
        quire_close(q);
        EQ(0, lines);
    }
}

TEST(a_tenant_is_named_by_its_name_or_its_id_and_a_name_is_given_once)
{
    char token[QUIRE_TOKEN_SIZE];
    quire *q = tenants_open(NULL, 0);
    quire_tenant t;

    OK(quire_tenant_add(q, "acme", token, &t, &test_err));
    EQ(2, t.id);
    YES(t.has_token && t.created_us > 0);
    OK(quire_tenant_add(q, "2", token, NULL, &test_err)); /* is #3 */
    IS(QUIRE_EXISTS, quire_tenant_add(q, "acme", token, &t, &test_err));
    SAME_TEXT("", token);
    IS(QUIRE_EXISTS, quire_tenant_add(q, "default", token, &t, &test_err));
    OK(quire_tenant_get(q, "2", &t, &test_err));
    EQ(3, t.id); /* a name comes first */
    OK(quire_tenant_get(q, "#2", &t, &test_err));
    SAME_TEXT("acme", t.name);
    OK(quire_tenant_get(q, "3", &t, &test_err));
    SAME_TEXT("2", t.name);
    IS(QUIRE_NOT_FOUND, quire_tenant_get(q, "4", &t, &test_err));
    IS(QUIRE_NOT_FOUND, quire_tenant_get(q, "ACME", &t, &test_err));
    IS(QUIRE_NOT_FOUND, quire_tenant_get(q, "", &t, &test_err));
    IS(QUIRE_NOT_FOUND, quire_tenant_get(q, "#", &t, &test_err));
    IS(QUIRE_NOT_FOUND,
       quire_tenant_get(q, "#99999999999999999999", &t, &test_err));
    lists(q, "#1:default:0:0:0 #2:acme:0:0:0 #3:2:0:0:0 ");
    quire_close(q);
}

TEST(names_are_text_of_a_hundred_bytes_that_is_no_id)
{
    static const char *const bad[] = {"",     "#2",          "#0",      "a\nb",
                                      "\x7f", "\xc2\x80",    "bad\xff", "\xc3",
                                      "\t",   "\xed\xa0\x80"};
    static const char *const good[] =
        {" ",  "#",      "#2a", "a b", "é", "../../x", "'; DROP TABLE tenant",
         "-x", "日本語", "%s%n"};
    char token[QUIRE_TOKEN_SIZE], longest[102];
    quire *q = tenants_open(NULL, 0), *own;
    quire_tenant t;
    size_t i;

    for (i = 0; i < sizeof bad / sizeof *bad; i++)
        IS(QUIRE_INVALID, quire_tenant_add(q, bad[i], token, &t, &test_err));
    for (i = 0; i < sizeof good / sizeof *good; i++) {
        OK(quire_tenant_add(q, good[i], token, &t, &test_err));
        own = tenants_open(good[i], 0);
        tenants_put(own, "a", good[i]);
        SAME_TEXT(good[i], tenants_read(own, "a"));
        quire_close(own);
    }
    memset(longest, 'x', 101);
    longest[101] = '\0';
    IS(QUIRE_INVALID, quire_tenant_add(q, longest, token, &t, &test_err));
    longest[100] = '\0';
    OK(quire_tenant_add(q, longest, token, &t, &test_err));
    OK(quire_tenant_get(q, longest, &t, &test_err));
    quire_close(q);
}

TEST(of_several_with_one_name_each_is_reached_by_its_id)
{
    quire *q;
    quire_tenant t;

    tenants_add("acme");
    tenants_sql("INSERT INTO tenant(name, created) VALUES('acme', 5)");
    tenants_refused("acme", QUIRE_INVALID);
    HAS(test_err.what, "#2 and #3");
    q = tenants_open("#3", 0);
    IS(QUIRE_INVALID, quire_tenant_get(q, "acme", &t, &test_err));
    OK(quire_tenant_get(q, "3", &t, &test_err));
    EQ(5, t.created_us);
    quire_close(q);
}

TEST(the_environment_names_a_tenant_where_the_options_do_not)
{
    quire_options o = QUIRE_OPTIONS_INIT;
    quire *q;

    tenants_add("acme");
    q = tenants_open("acme", 0);
    tenants_put(q, "a", "of acme");
    quire_close(q);
    o.home = test_path("home");
    setenv("QUIRE_TENANT", "acme", 1);
    OK(quire_open(&o, &q, &test_err));
    SAME_TEXT("of acme", tenants_read(q, "a"));
    quire_close(q);
    setenv("QUIRE_TENANT", "", 1);
    OK(quire_open(&o, &q, &test_err));
    tenants_put(q, "a", "of nobody else");
    quire_close(q);
    setenv("QUIRE_TENANT", "nobody", 1);
    IS(QUIRE_NOT_FOUND, quire_open(&o, &q, &test_err));
    o.blobs = test_path("blobs"); /* blobs have no tenant */
    OK(quire_open(&o, &q, &test_err));
    quire_close(q);
    o.blobs = NULL;
    o.size = offsetof(quire_options, tenant); /* a program from before */
    unsetenv("QUIRE_TENANT");
    OK(quire_open(&o, &q, &test_err));
    SAME_TEXT("of nobody else", tenants_read(q, "a"));
    quire_close(q);
}

TEST(homes_of_other_programs_have_no_tenants)
{
    quire_options o = QUIRE_OPTIONS_INIT;
    quire_tenant t;
    quire *q;

    o.home = test_path(".omp/agent");
    o.tenant = "acme";
    IS(QUIRE_INVALID, quire_open(&o, &q, &test_err));
    HAS(test_err.what, "no tenants");
    o.tenant = "default";
    OK(quire_open(&o, &q, &test_err));
    IS(QUIRE_INVALID, quire_tenant_get(q, "acme", &t, &test_err));
    HAS(test_err.what, "no tenants");
    quire_close(q);
}

/* ---- tokens ------------------------------------------------------------- */

static void is_known(quire *q, const char *token, const char *name)
{
    quire_tenant t;

    OK(quire_tenant_by_token(q, token, &t, &test_err));
    SAME_TEXT(name, t.name);
}

/* In the same words, whatever is wrong. */
static void is_unknown(quire *q, const char *token)
{
    quire_tenant t;

    IS(QUIRE_NOT_FOUND, quire_tenant_by_token(q, token, &t, &test_err));
    SAME_TEXT("missing or unknown token", test_err.what);
    EQ(0, t.id);
    YES(t.name == NULL);
}

TEST(a_token_is_good_until_it_is_rotated_and_while_its_tenant_may_work)
{
    char first[QUIRE_TOKEN_SIZE], second[QUIRE_TOKEN_SIZE];
    quire *q = tenants_open(NULL, 0), *reader;
    quire_tenant t;

    OK(quire_tenant_add(q, "acme", first, NULL, &test_err));
    EQ(68, strlen(first));
    EQ(0, strncmp(first, "qrt_", 4));
    EQ(64, strspn(first + 4, "0123456789abcdef"));
    reader = tenants_open("acme", QUIRE_READ_ONLY);
    is_known(reader, first, "acme");
    OK(quire_tenant_rotate(q, "acme", second, &t, &test_err));
    SAME_TEXT("acme", t.name);
    is_unknown(reader, first); /* at once */
    is_known(reader, second, "acme");
    OK(quire_tenant_disable(q, "acme", 1, &t, &test_err));
    YES(t.disabled);
    is_unknown(reader, second);
    OK(quire_tenant_disable(q, "acme", 0, &t, &test_err));
    is_known(reader, second, "acme");
    OK(quire_tenant_remove(q, "acme", 0, &test_err));
    is_unknown(reader, second);
    IS(QUIRE_NOT_FOUND, quire_tenant_rotate(q, "acme", first, &t, &test_err));
    SAME_TEXT("", first);
    quire_close(reader);
    quire_close(q);
}

TEST(the_default_tenant_has_a_token_when_it_asks_for_one)
{
    char token[QUIRE_TOKEN_SIZE];
    quire *q = tenants_open(NULL, 0);
    quire_tenant t;

    OK(quire_tenant_rotate(q, "default", token, &t, &test_err));
    EQ(1, t.id);
    YES(t.has_token);
    is_known(q, token, "default");
    IS(QUIRE_INVALID, quire_tenant_disable(q, "default", 1, &t, &test_err));
    IS(QUIRE_INVALID, quire_tenant_remove(q, "1", 1, &test_err));
    OK(quire_tenant_disable(q, "default", 0, NULL, &test_err));
    is_known(q, token, "default");
    quire_close(q);
}

TEST(what_is_no_token_is_answered_like_one_that_nobody_has)
{
    char token[QUIRE_TOKEN_SIZE], other[128], *huge = test_alloc(1 << 20);
    quire *q = tenants_open(NULL, QUIRE_READ_ONLY);
    size_t i;

    is_unknown(q, "qrt_"); /* there is no home yet */
    quire_close(q);
    q = tenants_open(NULL, 0);
    OK(quire_tenant_add(q, "acme", token, NULL, &test_err));
    is_unknown(q, "");
    is_unknown(q, "qrt_");
    is_unknown(q, "acme");
    is_unknown(q, token + 4); /* without what it begins with */
    snprintf(other, sizeof other, "%s0", token);
    is_unknown(q, other);
    snprintf(other, sizeof other, " %s", token);
    is_unknown(q, other);
    snprintf(other, sizeof other, "%.67s", token);
    is_unknown(q, other);
    for (i = 0; i < 68; i++) { /* a bit of any byte */
        memcpy(other, token, sizeof token);
        other[i] ^= 1;
        is_unknown(q, other);
    }
    for (i = 0; i < 68; i++)
        other[i] = token[i] >= 'a' && token[i] <= 'z'
                       ? (char)(token[i] - 'a' + 'A')
                       : token[i];
    is_unknown(q, other);
    memset(huge, 'a', 1 << 20);
    is_unknown(q, huge);
    is_known(q, token, "acme");
    /* Its hash is what is kept, and is no token. */
    tenants_sql("UPDATE tenant SET token = NULL WHERE id = 2");
    is_unknown(q, token);
    quire_close(q);
}

TEST(a_thousand_tokens_are_a_thousand_tokens)
{
    enum { N = 1000 };
    char(*tokens)[QUIRE_TOKEN_SIZE] = test_alloc((size_t)N * QUIRE_TOKEN_SIZE);
    quire *q = tenants_open(NULL, 0);
    int i;

    OK(quire_tenant_add(q, "acme", tokens[0], NULL, &test_err));
    for (i = 1; i < N; i++)
        OK(quire_tenant_rotate(q, "acme", tokens[i], NULL, &test_err));
    is_known(q, tokens[N - 1], "acme");
    qsort(tokens, N, QUIRE_TOKEN_SIZE,
          (int (*)(const void *, const void *))strcmp);
    for (i = 1; i < N; i++)
        YES(strcmp(tokens[i - 1], tokens[i]) < 0);
    quire_close(q);
}

static void is_nowhere(const char *dir, const char *text)
{
    DIR *stream = opendir(dir);
    struct dirent *e;

    YES(stream != NULL);
    while ((e = readdir(stream)) != NULL) {
        char path[1024];
        struct stat st;
        quire_bytes file;

        snprintf(path, sizeof path, "%s/%s", dir, e->d_name);
        if (e->d_name[0] == '.' || stat(path, &st))
            continue;
        if (S_ISDIR(st.st_mode)) {
            is_nowhere(path, text);
            continue;
        }
        file = test_read_file(path);
        YES(file.len == 0 || !memmem(file.data, file.len, text, strlen(text)));
    }
    closedir(stream);
}

TEST(a_token_is_nowhere_in_the_home)
{
    char token[QUIRE_TOKEN_SIZE];
    quire *q = tenants_open(NULL, 0), *own;

    OK(quire_tenant_add(q, "acme", token, NULL, &test_err));
    own = tenants_open("acme", 0);
    tenants_put(own, "a", "x");
    tenants_session(own, "t");
    is_nowhere(test_path("home"), token + 4); /* open: the log is there */
    quire_close(own);
    quire_close(q);
    is_nowhere(test_path("home"), token + 4);
}

TEST(a_handle_for_reading_changes_no_tenant)
{
    char token[QUIRE_TOKEN_SIZE];
    quire *q;
    quire_tenant t;

    tenants_add("acme");
    q = tenants_open("acme", QUIRE_READ_ONLY);
    IS(QUIRE_INVALID, quire_tenant_add(q, "b", token, &t, &test_err));
    IS(QUIRE_INVALID, quire_tenant_rotate(q, "acme", token, &t, &test_err));
    SAME_TEXT("", token);
    IS(QUIRE_INVALID, quire_tenant_disable(q, "acme", 1, &t, &test_err));
    IS(QUIRE_INVALID, quire_tenant_remove(q, "acme", 1, &test_err));
    lists(q, "#1:default:0:0:0 #2:acme:0:0:0 ");
    SAME_TEXT("", tenants_sessions(q));
    NO(test_exists(test_path("home/tenants"))); /* made by what is written */
    quire_close(q);
}

TEST(a_tenant_that_is_disabled_is_shut_out_also_by_handles_that_are_open)
{
    quire *q = tenants_open(NULL, 0), *own;
    struct tenants_session s;
    quire_session *session;
    quire_outputs *outputs;
    quire_artifact a;

    tenants_add("acme");
    own = tenants_open("acme", 0);
    tenants_put(own, "a", "x");
    s = tenants_session(own, "t");
    OK(quire_tenant_disable(q, "acme", 1, NULL, &test_err));
    IS(QUIRE_INVALID, quire_artifact_put(own, NULL, "a", bytes_str("y"), NULL,
                                         NULL, &test_err));
    HAS(test_err.what, "disabled");
    IS(QUIRE_INVALID, quire_artifact_stat(own, NULL, "a", NULL, &a, &test_err));
    IS(QUIRE_INVALID, quire_session_open(own, s.id, NULL, &session, &test_err));
    IS(QUIRE_INVALID, quire_session_new(own, NULL, &session, &test_err));
    IS(QUIRE_INVALID, quire_outputs_open(own, NULL, &outputs, &test_err));
    IS(QUIRE_INVALID,
       quire_history_add(own, bytes_str("p"), NULL, NULL, NULL, &test_err));
    tenants_refused("acme", QUIRE_INVALID);
    OK(quire_tenant_disable(q, "#2", 0, NULL, &test_err));
    SAME_TEXT("x", tenants_read(own, "a"));
    SAME_TEXT("t ", tenants_sessions(own));
    quire_close(own);
    quire_close(q);
}

/* ---- what is another's -------------------------------------------------- */

struct pair {
    quire *a, *b, *d; /* two tenants and the default one */
};

static void pair_open(struct pair *p)
{
    tenants_add("a");
    tenants_add("b");
    p->a = tenants_open("a", 0);
    p->b = tenants_open("b", 0);
    p->d = tenants_open(NULL, 0);
}

static void pair_close(struct pair *p)
{
    quire_close(p->a);
    quire_close(p->b);
    quire_close(p->d);
}

static quire_status count_hit(void *ctx, const quire_hit *hit, quire_error *err)
{
    (void)hit;
    (void)err;
    ++*(int *)ctx;
    return QUIRE_OK;
}

static void finds_nothing(quire *q, const char *query)
{
    quire_artifact_search_options o = QUIRE_ARTIFACT_SEARCH_OPTIONS_INIT;
    int n = 0;

    o.all_sessions = 1;
    IS(QUIRE_NOT_FOUND, quire_artifact_search(q, NULL, query, &o, count_hit, &n,
                                              NULL, &test_err));
    EQ(0, n);
}

TEST(artifacts_of_another_tenant_are_not_found_by_path_id_or_word)
{
    quire_artifact_get_options any = QUIRE_ARTIFACT_GET_OPTIONS_INIT;
    struct pair p;
    quire *others[2];
    quire_artifact a, mine;
    char id[32];
    int i;

    pair_open(&p);
    mine = tenants_put(p.a, "secret.txt", "walrus");
    snprintf(id, sizeof id, "#%lld", (long long)mine.id);
    any.any_session = 1;
    others[0] = p.b;
    others[1] = p.d;
    for (i = 0; i < 2; i++) {
        quire *q = others[i];

        IS(QUIRE_NOT_FOUND,
           quire_artifact_stat(q, NULL, "secret.txt", NULL, &a, &test_err));
        IS(QUIRE_NOT_FOUND,
           quire_artifact_stat(q, NULL, id, &any, &a, &test_err));
        HAS(test_err.what, "no artifact");
        IS(QUIRE_NOT_FOUND, quire_artifact_remove(q, NULL, id, 1, &test_err));
        IS(QUIRE_NOT_FOUND,
           quire_artifact_restore(q, NULL, "secret.txt", &a, &test_err));
        finds_nothing(q, "walrus");
        a = tenants_put(q, "secret.txt", "own");
        EQ(3, a.tenant_used);
    }
    SAME_TEXT("walrus", tenants_read(p.a, id));
    OK(quire_artifact_remove(p.a, NULL, id, 0, &test_err));
    SAME_TEXT("own", tenants_read(p.b, "secret.txt"));
    lists(p.b, "#1:default:0:1:3 #2:a:0:0:0 #3:b:0:1:3 ");
    pair_close(&p);
}

static void is_no_session(quire *q, const char *which)
{
    quire_session_options o = QUIRE_SESSION_OPTIONS_INIT;
    quire_outputs *outputs;
    quire_session *s;
    quire_artifact a;
    const char *path;

    o.flags = QUIRE_SESSION_READ;
    IS(QUIRE_NOT_FOUND, quire_session_open(q, which, &o, &s, &test_err));
    HAS(test_err.what, "no session");
    IS(QUIRE_NOT_FOUND, quire_session_open(q, which, NULL, &s, &test_err));
    IS(QUIRE_NOT_FOUND, quire_session_find(q, which, &path, &test_err));
    IS(QUIRE_NOT_FOUND, quire_session_fork(q, which, NULL, &s, &test_err));
    IS(QUIRE_NOT_FOUND, quire_session_remove(q, which, &test_err));
    IS(QUIRE_NOT_FOUND, quire_session_archive(q, which, &path, &test_err));
    IS(QUIRE_NOT_FOUND, quire_outputs_open(q, which, &outputs, &test_err));
    IS(QUIRE_NOT_FOUND,
       quire_artifact_put(q, which, "a", bytes_str("x"), NULL, &a, &test_err));
}

TEST(sessions_of_another_tenant_are_not_found_by_id_or_path)
{
    struct tenants_session of_a, of_d;
    struct pair p;
    char *odd = test_alloc(1024);
    const char *path;
    int round;

    pair_open(&p);
    of_a = tenants_session(p.a, "A");
    of_d = tenants_session(p.d, "D");
    HAS(of_a.path, "/tenants/2/sessions/");
    for (round = 0; round < 2; round++) { /* the second time from the cache */
        SAME_TEXT("A ", tenants_sessions(p.a));
        SAME_TEXT("", tenants_sessions(p.b));
        SAME_TEXT("D ", tenants_sessions(p.d));
    }
    is_no_session(p.b, of_a.id);
    is_no_session(p.b, of_a.path);
    is_no_session(p.b, of_d.id);
    is_no_session(p.b, of_d.path);
    is_no_session(p.d, of_a.id);
    is_no_session(p.d, of_a.path);
    is_no_session(p.a, of_d.path);
    snprintf(odd, 1024, "%s/tenants/3/../2%s", test_path("home"),
             strstr(of_a.path, "/sessions/"));
    is_no_session(p.b, odd);
    /* Nor by a link, wherever it stands. */
    EQ(0, symlink(of_a.path, test_path("link.jsonl")));
    is_no_session(p.b, test_path("link.jsonl"));
    OK(quire_session_find(p.a, of_a.path, &path, &test_err));
    OK(quire_session_archive(p.a, of_a.id, &path, &test_err));
    HAS(path, "/tenants/2/archive/sessions/");
    is_no_session(p.b, of_a.id);
    is_no_session(p.d, path);
    pair_close(&p);
}

/* One file under the same name in two tenants: what is known of one is not
 * taken for the other's. */
TEST(two_tenants_may_have_sessions_of_the_same_id)
{
    static const char dir[] = "sessions/--w--";
    static const char file[] =
        "2026-02-16T10-20-30-000Z_aaaaaaaaaaaaaaaa.jsonl";
    struct pair p;
    quire_artifact a;
    int i, round;

    pair_open(&p);
    tenants_session(p.a, "x");
    tenants_session(p.b, "y");
    for (i = 2; i <= 3; i++) {
        char path[512], text[512];

        snprintf(path, sizeof path, "%s/tenants/%d/%s/%s", test_path("home"), i,
                 dir, file);
        snprintf(text, sizeof text,
                 "{\"type\":\"session\",\"version\":3,\"id\":"
                 "\"aaaaaaaaaaaaaaaa\",\"timestamp\":"
                 "\"2030-02-16T10:20:30.000Z\",\"cwd\":\"/w\",\"title\":"
                 "\"of%d\"}\n",
                 i);
        test_write_file(path, bytes_str(text));
    }
    usleep(30000); /* old enough to be remembered */
    for (round = 0; round < 3; round++) {
        HAS(tenants_sessions(p.a), "of2");
        HAS(tenants_sessions(p.b), "of3");
        YES(!strstr(tenants_sessions(p.a), "of3"));
        YES(!strstr(tenants_sessions(p.b), "of2"));
    }
    OK(quire_artifact_put(p.a, "aaaaaaaaaaaaaaaa", "f", bytes_str("1"), NULL,
                          &a, &test_err));
    OK(quire_artifact_put(p.b, "aaaaaaaaaaaaaaaa", "f", bytes_str("22"), NULL,
                          &a, &test_err));
    EQ(2, a.session_used);
    OK(quire_session_remove(p.a, "aaaaaaaaaaaaaaaa", &test_err));
    OK(quire_artifact_stat(p.b, "aaaaaaaaaaaaaaaa", "f", NULL, &a, &test_err));
    HAS(tenants_sessions(p.b), "of3");
    EQ(0, tenants_recount());
    pair_close(&p);
}

static quire_status count_prompt(void *ctx, const quire_prompt *prompt,
                                 quire_error *err)
{
    (void)prompt;
    (void)err;
    ++*(int *)ctx;
    return QUIRE_OK;
}

TEST(history_and_outputs_without_a_session_are_a_tenants_own)
{
    quire_sink_options so = QUIRE_SINK_OPTIONS_INIT;
    quire_sink_result r;
    quire_outputs *oa, *ob;
    quire_sink *sink;
    struct pair p;
    struct stat st;
    int n = 0;

    pair_open(&p);
    OK(quire_history_add(p.a, bytes_str("walrus"), "/", NULL, NULL, &test_err));
    OK(quire_history_search(p.b, bytes_str("walrus"), NULL, count_prompt, &n,
                            &test_err));
    OK(quire_history_list(p.d, NULL, count_prompt, &n, &test_err));
    EQ(0, n);
    OK(quire_history_list(p.a, NULL, count_prompt, &n, &test_err));
    EQ(1, n);
    YES(test_exists(test_path("home/tenants/2/history.db")));
    NO(test_exists(test_path("home/tenants/3")));
    OK(quire_outputs_open(p.a, NULL, &oa, &test_err));
    OK(quire_outputs_open(p.b, NULL, &ob, &test_err));
    HAS(quire_outputs_dir(oa), "/home/tenants/2/outputs");
    so.tool = "bash";
    so.threshold = 4;
    OK(quire_sink_open(oa, &so, &sink, &test_err));
    quire_sink_write(sink, bytes_str("more than four bytes\n"));
    quire_sink_finish(sink, &r);
    quire_sink_free(sink);
    IS(QUIRE_NOT_FOUND,
       quire_read(p.b, ob, "artifact://0", NULL, NULL, NULL, &test_err));
    quire_outputs_close(oa);
    quire_outputs_close(ob);
    EQ(0, stat(test_path("home/tenants"), &st));
    EQ(0700, st.st_mode & 07777);
    EQ(0, stat(test_path("home/tenants/2"), &st));
    EQ(0700, st.st_mode & 07777);
    pair_close(&p);
}

struct ranking {
    struct buf text;
};

static quire_status note_rank(void *ctx, const quire_hit *hit, quire_error *err)
{
    struct ranking *r = ctx;

    (void)err;
    buf_add(&r->text, &hit->score, sizeof hit->score);
    buf_addf(&r->text, " %s %s %d\n", hit->artifact.path, hit->snippet,
             hit->part);
    return QUIRE_OK;
}

static void rank(quire *q, struct ranking *r)
{
    static const char *const queries[] = {"apple", "pear apple", "plum",
                                          "appl"};
    quire_artifact_search_options o = QUIRE_ARTIFACT_SEARCH_OPTIONS_INIT;
    size_t i;

    o.all_sessions = 1;
    buf_clear(&r->text);
    for (i = 0; i < sizeof queries / sizeof *queries; i++)
        OK(quire_artifact_search(q, NULL, queries[i], &o, note_rank, r, NULL,
                                 &test_err));
}

TEST(what_another_tenant_has_changes_no_bit_of_a_ranking)
{
    static const char *const texts[] = {"apple pear", "apple apple plum",
                                        "pear pear apple", "plum"};
    struct ranking before = {BUF_INIT(1 << 20)}, after = {BUF_INIT(1 << 20)};
    char path[32];
    struct pair p;
    int i;

    pair_open(&p);
    for (i = 0; i < 4; i++) {
        snprintf(path, sizeof path, "f%d", i);
        tenants_put(p.a, path, texts[i]);
    }
    rank(p.a, &before);
    for (i = 0; i < 40; i++) {
        snprintf(path, sizeof path, "apple%d", i);
        tenants_put(i % 2 ? p.b : p.d, path, "apple plum plum plum pear");
    }
    rank(p.a, &after);
    YES(before.text.len > 100);
    SAME(buf_bytes(&before.text), buf_bytes(&after.text));
    buf_release(&before.text);
    buf_release(&after.text);
    pair_close(&p);
}

TEST(quotas_are_counted_for_each_tenant)
{
    struct pair p;
    quire_artifact a;

    pair_open(&p);
    OK(quire_config_set(p.d, "quota.tenant", "10", &test_err));
    a = tenants_put(p.a, "f", "1234567890");
    EQ(10, a.tenant_used);
    IS(QUIRE_QUOTA, quire_artifact_put(p.a, "temp", "g", bytes_str("1"), NULL,
                                       &a, &test_err));
    a = tenants_put(p.b, "f", "1234567890");
    EQ(10, a.tenant_used);
    a = tenants_put(p.d, "f", "12345");
    EQ(5, a.tenant_used);
    lists(p.a, "#1:default:0:1:5 #2:a:0:1:10 #3:b:0:1:10 ");
    EQ(0, tenants_recount());
    pair_close(&p);
}

/* ---- a model to compare with -------------------------------------------- */

enum { TENANTS = 3, SLOTS = 5, WORDS = 4, STEPS = 500 };

static const char *const words[WORDS] = {"apple", "pear", "plum", "walrus"};

struct slot {
    bool living;
    unsigned words; /* a bit each */
    size_t size;
};

struct model {
    quire *q;
    struct slot slots[SLOTS];
};

static quire_status note_slot(void *ctx, const quire_hit *hit, quire_error *err)
{
    (void)err;
    *(unsigned *)ctx |= 1u << (hit->artifact.path[1] - '0');
    return QUIRE_OK;
}

static quire_status add_path(void *ctx, const quire_artifact *a,
                             quire_error *err)
{
    (void)err;
    *(unsigned *)ctx |= 1u << (a->path[1] - '0');
    return QUIRE_OK;
}

static void change(struct model *m, int slot, unsigned random)
{
    char path[3] = {'f', (char)('0' + slot), '\0'}, text[64] = "";
    struct slot *s = &m->slots[slot];
    int i;

    if (random % 4 == 0) {
        IS(s->living ? QUIRE_OK : QUIRE_NOT_FOUND,
           quire_artifact_remove(m->q, NULL, path, 1, &test_err));
        s->living = false;
        return;
    }
    s->words = random >> 4 & ((1u << WORDS) - 1);
    for (i = 0; i < WORDS; i++) {
        if (s->words >> i & 1)
            strcat(strcat(text, words[i]), " ");
    }
    tenants_put(m->q, path, text);
    s->living = true;
    s->size = strlen(text);
}

static void compare(struct model *m, int word)
{
    quire_artifact_search_options o = QUIRE_ARTIFACT_SEARCH_OPTIONS_INIT;
    unsigned want = 0, got = 0, all = 0, listed = 0;
    quire_status st;
    int i;

    for (i = 0; i < SLOTS; i++) {
        if (m->slots[i].living)
            all |= 1u << i;
        if (m->slots[i].living && (m->slots[i].words >> word & 1))
            want |= 1u << i;
    }
    o.all_sessions = 1;
    st = quire_artifact_search(m->q, NULL, words[word], &o, note_slot, &got,
                               NULL, &test_err);
    IS(want ? QUIRE_OK : QUIRE_NOT_FOUND, st);
    EQ(want, got);
    OK(quire_artifact_list(m->q, NULL, NULL, add_path, &listed, &test_err));
    EQ(all, listed);
}

static void check_totals(struct model *m, const char *which)
{
    uint64_t used = 0, n = 0;
    quire_tenant t;
    int i;

    for (i = 0; i < SLOTS; i++) {
        used += m->slots[i].living ? m->slots[i].size : 0;
        n += m->slots[i].living;
    }
    OK(quire_tenant_get(m->q, which, &t, &test_err));
    EQ(used, t.used);
    EQ(n, t.artifacts);
}

TEST(three_tenants_are_each_what_a_simple_model_says)
{
    static const char *const names[TENANTS] = {"default", "a", "b"};
    struct model models[TENANTS] = {{.q = NULL}};
    unsigned seed = 7;
    int i, step;

    tenants_add("a");
    tenants_add("b");
    for (i = 0; i < TENANTS; i++)
        models[i].q = tenants_open(names[i], 0);
    for (step = 0; step < STEPS; step++) {
        seed = seed * 1664525u + 1013904223u;
        i = (int)(seed >> 24) % TENANTS;
        if (step % 97 == 96) { /* begin anew */
            i = 1 + step % 2;
            quire_close(models[i].q);
            OK(quire_tenant_remove(models[0].q, names[i], 1, &test_err));
            YES(tenants_add(names[i]) > 3);
            models[i] = (struct model){.q = tenants_open(names[i], 0)};
        }
        change(&models[i], (int)(seed >> 8) % SLOTS, seed >> 12);
        compare(&models[(i + step) % TENANTS], (int)(seed >> 28) % WORDS);
        check_totals(&models[step % TENANTS], names[step % TENANTS]);
    }
    for (i = 0; i < TENANTS; i++) {
        check_totals(&models[i], names[i]);
        quire_close(models[i].q);
    }
    EQ(0, tenants_recount());
}
