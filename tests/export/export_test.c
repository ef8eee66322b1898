/* Sessions for other agents and formats, through the public header. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "base/json.h"
#include "quire/export.h"
#include "server/route.h"
#include "store/intercept.h"
#include "support/failing.h"
#include "support/test.h"

#define CEILING ((size_t)1 << 28)

/* ---- words --------------------------------------------------------------- */

static quire *open_home(void)
{
    quire_options o = QUIRE_OPTIONS_INIT;
    quire *q;

    o.home = test_path("home");
    OK(quire_open(&o, &q, &test_err));
    return q;
}

static quire_session *begin(quire *q)
{
    quire_session_options o = QUIRE_SESSION_OPTIONS_INIT;
    quire_session *s;

    o.flags = QUIRE_SESSION_AT_ONCE;
    o.cwd = "/srv/demo";
    o.title = "A title";
    OK(quire_session_new(q, &o, &s, &test_err));
    return s;
}

/* JSON that is written with ' for ". */
static void add(quire_session *s, const char *text)
{
    size_t len = strlen(text), i;
    char *json = test_alloc(len);

    for (i = 0; i < len; i++)
        json[i] = text[i] == '\'' ? '"' : text[i];
    OK(quire_session_append(s, bytes_of(json, len), NULL, NULL, &test_err));
}

static const char *id_of(quire_session *s)
{
    quire_session_info info;
    char *id;

    quire_session_describe(s, &info);
    id = test_alloc(strlen(info.id) + 1);
    strcpy(id, info.id);
    return id;
}

static struct buf dropped;

static void note_drop(void *ctx, const char *kind, uint64_t n)
{
    (void)ctx;
    buf_addf(&dropped, "%llu %s\n", (unsigned long long)n, kind);
}

static quire_status export_to(quire *q, const char *id, const char *to,
                              struct buf *out, quire_error *err)
{
    quire_export_options o = QUIRE_EXPORT_OPTIONS_INIT;

    dropped.max = CEILING;
    buf_clear(&dropped);
    o.dropped = note_drop;
    return quire_export_write(q, id, to, &o, buf_write, out, NULL, err);
}

static const char *exported(quire *q, const char *id, const char *to)
{
    struct buf b = BUF_INIT(CEILING);
    char *text;

    OK(export_to(q, id, to, &b, &test_err));
    text = test_alloc(b.len + 1);
    memcpy(text, b.data, b.len);
    text[b.len] = '\0';
    buf_release(&b);
    return text;
}

static const char *drops(void)
{
    return dropped.len ? buf_text(&dropped) : "";
}

/* Whether these stand in the text, in this order. */
static void in_order(const char *text, const char *const *words)
{
    for (; *words; words++) {
        const char *found = strstr(text, *words);

        if (!found)
            HAS(text, *words);
        text = found ? found + strlen(*words) : text;
    }
}

#define IN_ORDER(text, ...) \
    in_order((text), (const char *const[]){__VA_ARGS__, NULL})

#define CALL(id, call)                                                         \
    "{'type':'message','id':'" id "','message':{'role':'assistant',"           \
    "'provider':'anthropic','model':'m','content':[{'type':'text','text':'" id \
    "'},{'type':'toolCall','id':'" call                                        \
    "','name':'x','arguments':{}}],'stopReason':'toolUse'}}"
#define RESULT(id, call)                                              \
    "{'type':'message','id':'" id "','message':{'role':'toolResult'," \
    "'toolCallId':'" call                                             \
    "','toolName':'x','content':[{'type':'text','text':'" id "'}]}}"
#define SAID(id, role)                                                 \
    "{'type':'message','id':'" id "','message':{'role':'" role         \
    "','provider':'anthropic','model':'m','content':[{'type':'text','" \
    "text':'" id "'}]}}"

/* ---- targets ------------------------------------------------------------- */

TEST(the_route_offers_every_target)
{
    const struct route *route = routes;
    const struct field *field;
    char *choices, *word, *rest;
    quire_export_target t;
    unsigned i = 0;

    while (strcmp(route->name, "export") != 0)
        route++;
    for (field = route->fields; strcmp(field->name, "to") != 0;)
        field++;
    choices = test_alloc(strlen(field->type) + 1);
    strcpy(choices, field->type);
    for (word = strtok_r(choices, "/", &rest); word;
         word = strtok_r(NULL, "/", &rest)) {
        YES(quire_export_target_at(i++, &t));
    }
    NO(quire_export_target_at(i, &t));
    for (i = 0; quire_export_target_at(i, &t); i++)
        HAS(field->type, t.name);
}

TEST(an_empty_session_and_one_without_messages_can_be_exported)
{
    quire *q = open_home();
    quire_session *s = begin(q);
    const char *id = id_of(s);
    quire_export_target t;
    unsigned i, n;

    for (n = 0; n < 2; n++) {
        for (i = 0; quire_export_target_at(i, &t); i++) {
            struct buf b = BUF_INIT(CEILING);

            OK(export_to(q, id, t.name, &b, &test_err));
            buf_release(&b);
        }
        add(s, "{'type':'custom','customType':'x','data':1}");
    }
    quire_session_close(s);
    quire_close(q);
}

TEST(a_second_export_has_the_same_bytes_and_a_longer_session_another_id)
{
    quire *q = open_home();
    quire_session *s = begin(q);
    const char *id = id_of(s), *before;

    add(s, SAID("u1", "user"));
    add(s, SAID("a1", "assistant"));
    before = exported(q, id, "claude-code");
    SAME_TEXT(before, exported(q, id, "claude-code"));
    add(s, SAID("u2", "user"));
    NO(!strncmp(before, exported(q, id, "claude-code"), strlen(before) / 2));
    quire_session_close(s);
    quire_close(q);
}

/* ---- results ------------------------------------------------------------- */

TEST(a_result_follows_its_call_whatever_stands_between_them)
{
    quire *q = open_home();
    quire_session *s = begin(q);
    const char *id = id_of(s);

    add(s, SAID("u1", "user"));
    add(s, CALL("a1", "t1"));
    add(s, SAID("u2", "user"));
    add(s, "{'type':'custom','id':'x1','customType':'x','data':1}");
    add(s, RESULT("r1", "t1"));
    add(s, SAID("a2", "assistant"));
    IN_ORDER(exported(q, id, "claude-code"), "\"u1\"", "\"a1\"", "\"r1\"",
             "\"u2\"", "\"a2\"");
    SAME_TEXT("1 custom x\n", drops());
    quire_session_close(s);
    quire_close(q);
}

TEST(a_result_without_its_call_is_left_out_for_an_agent_and_shown_to_people)
{
    quire *q = open_home();
    quire_session *s = begin(q);
    const char *id = id_of(s);

    add(s, CALL("a1", "t1"));
    add(s, SAID("a2", "assistant"));
    add(s, RESULT("r1", "t1"));
    add(s, RESULT("r2", "t1"));
    NO(strstr(exported(q, id, "claude-code"), "\"r1\"") != NULL);
    SAME_TEXT("2 result without its call\n", drops());
    IN_ORDER(exported(q, id, "markdown"), "a2", "r1", "r2");
    quire_session_close(s);
    quire_close(q);
}

/* ---- compactions --------------------------------------------------------- */

TEST(for_an_agent_a_compaction_stands_before_what_it_keeps)
{
    quire *q = open_home();
    quire_session *s = begin(q);
    const char *id = id_of(s);

    add(s, SAID("u1", "user"));
    add(s, SAID("u2", "user"));
    add(s, "{'type':'compaction','id':'c1','summary':'SUM1',"
           "'firstKeptEntryId':'u2','tokensBefore':1}");
    add(s, SAID("u3", "user"));
    add(s, "{'type':'compaction','id':'c2','summary':'SUM2',"
           "'firstKeptEntryId':'u3','tokensBefore':1}");
    add(s, "{'type':'compaction','id':'c3','summary':'SUM3',"
           "'firstKeptEntryId':'gone','tokensBefore':1}");
    add(s, SAID("a1", "assistant"));
    IN_ORDER(exported(q, id, "codex"), "\"u1\"", "SUM1", "\"u2\"", "SUM2",
             "\"u3\"", "SUM3", "\"a1\"");
    IN_ORDER(exported(q, id, "markdown"), "u1", "u2", "SUM1", "u3", "SUM2",
             "SUM3", "a1");
    quire_session_close(s);
    quire_close(q);
}

/* ---- thinking ------------------------------------------------------------ */

TEST(signed_thinking_stays_with_its_provider)
{
    quire *q = open_home();
    quire_session *s = begin(q);
    const char *id = id_of(s);

    add(s, "{'type':'message','id':'a1','message':{'role':'assistant',"
           "'provider':'anthropic','model':'m','content':["
           "{'type':'thinking','thinking':'THOUGHT','thinkingSignature':'SIG'},"
           "{'type':'redactedThinking','data':'RED'},"
           "{'type':'text','text':'t'}]}}");
    add(s, "{'type':'message','id':'a2','message':{'role':'assistant',"
           "'provider':'openai','model':'m','content':["
           "{'type':'thinking','thinking':'OTHER','encrypted_content':'ENC'},"
           "{'type':'text','text':'t'}]}}");
    IN_ORDER(exported(q, id, "claude-code"), "THOUGHT", "\"signature\":\"SIG\"",
             "\"data\":\"RED\"");
    SAME_TEXT("1 encrypted reasoning\n1 thinking\n", drops());
    IN_ORDER(exported(q, id, "codex"), "THOUGHT", "OTHER",
             "\"encrypted_content\":\"ENC\"");
    NO(strstr(exported(q, id, "codex"), "SIG") != NULL);
    IN_ORDER(exported(q, id, "pi"), "\"SIG\"", "\"RED\"", "\"ENC\"");
    SAME_TEXT("", drops());
    quire_session_close(s);
    quire_close(q);
}

/* ---- content ------------------------------------------------------------- */

TEST(references_become_content_and_missing_ones_are_counted)
{
    quire *q = open_home();
    quire_session *s = begin(q);
    const char *id = id_of(s);
    quire_blob_info info;
    char ref[QUIRE_REF_SIZE], text[512];

    OK(quire_blob_put(q, bytes_str("the whole\ntext \"x\""), 0, &info,
                      &test_err));
    quire_ref_format(&info.digest, ref);
    snprintf(text, sizeof text,
             "{'type':'message','id':'u1','message':{'role':'user','content':["
             "{'type':'text','text':'the who\\n[7 of 18 bytes; all of them: "
             "%s]'}]}}",
             ref);
    add(s, text);
    /* Not the beginning of that text: someone wrote it. */
    snprintf(text, sizeof text,
             "{'type':'message','id':'u2','message':{'role':'user','content':["
             "{'type':'text','text':'another\\n[7 of 18 bytes; all of them: "
             "%s]'}]}}",
             ref);
    add(s, text);
    add(s, "{'type':'message','id':'u3','message':{'role':'user','content':["
           "{'type':'image','mimeType':'image/png','data':'blob:sha256:"
           "0000000000000000000000000000000000000000000000000000000000000000'}"
           "]}}");
    IN_ORDER(exported(q, id, "codex"), "the whole\\ntext \\\"x\\\"\"",
             "another\\n[7 of 18 bytes");
    HAS(drops(), "1 content that is not in the store");
    quire_session_close(s);
    quire_close(q);
}

TEST(lines_stay_lines)
{
    quire *q = open_home();
    quire_session *s = begin(q);
    const char *id = id_of(s), *text;
    quire_export_target t;
    size_t lines, n;
    unsigned i;

    add(s, "{'type':'message','id':'a1','message':{'role':'assistant',"
           "'provider':'x','model':'m','content':[{'type':'toolCall','id':'t',"
           "'name':'x','arguments':{'a':\n1,\r\n'b':'\\n\\u2028'}}]}}");
    for (i = 0; quire_export_target_at(i, &t); i++) {
        if (!t.is_lines)
            continue;
        text = exported(q, id, t.name);
        for (lines = 0; *text; lines++) {
            n = strcspn(text, "\n");
            YES(json_check(bytes_of(text, n), JSON_UTF8, NULL));
            text += n + 1;
        }
        YES(lines > 0);
    }
    quire_session_close(s);
    quire_close(q);
}

/* ---- failing calls ------------------------------------------------------- */

static const char *begin_full(quire *q)
{
    quire_session *s = begin(q);
    const char *id = id_of(s);

    add(s, SAID("u1", "user"));
    add(s, CALL("a1", "t1"));
    add(s, RESULT("r1", "t1"));
    add(s, "{'type':'compaction','id':'c1','summary':'SUM1',"
           "'firstKeptEntryId':'a1','tokensBefore':1}");
    add(s, "{'type':'custom_message','id':'n1','customType':'x','content':'x',"
           "'display':true}");
    add(s, "{'type':'message','id':'u2','message':{'role':'user','content':["
           "{'type':'image','mimeType':'image/png','data':'iVBORw0KGgo='},"
           "{'type':'text','text':'password=hunter22'}]}}");
    add(s, SAID("a2", "assistant"));
    quire_session_close(s);
    return id;
}

TEST(an_export_in_which_a_call_fails_ends_with_an_error_or_is_whole)
{
    quire *q = open_home();
    const char *id = begin_full(q);
    quire_export_target t;
    unsigned i;

    for (i = 0; quire_export_target_at(i, &t); i++) {
        const char *whole = exported(q, id, t.name);
        long n = 1, step = getenv("QUIRE_LONG") ? 1 : 5;
        bool came = true;

        for (; came; n += step) {
            struct buf b = BUF_INIT(CEILING);
            quire_error err = {0};
            quire_status st;

            fault_arm(n, 5, false);
            st = export_to(q, id, t.name, &b, &err);
            came = fault_disarm();
            if (!st)
                SAME(bytes_str(whole), buf_bytes(&b));
            else
                YES(*err.what != '\0');
            buf_release(&b);
        }
    }
    buf_release(&dropped);
    quire_close(q);
}

TEST(an_installation_in_which_a_call_fails_leaves_no_file_or_all_of_it)
{
    quire_export_options o = QUIRE_EXPORT_OPTIONS_INIT;
    quire *q = open_home();
    const char *id = begin_full(q), *whole = exported(q, id, "claude-code");
    quire_exported out;
    bool came = true;
    long n;

    for (n = 1; came; n += 3) {
        char name[32], dir[300];
        quire_error err = {0};
        quire_status st;

        snprintf(name, sizeof name, "claude%ld", n);
        snprintf(dir, sizeof dir, "%s", test_path(name));
        setenv("CLAUDE_CONFIG_DIR", dir, 1);
        fault_arm(n, 5, false);
        memset(&out, 0, sizeof out);
        st = quire_export_install(q, id, "claude-code", &o, &out, &err);
        came = fault_disarm();
        if (!st)
            SAME(bytes_str(whole), test_read_file(out.path));
        else if (*out.path && test_exists(out.path))
            SAME(bytes_str(whole), test_read_file(out.path));
        if (test_exists(dir))
            NO(test_litter(dir));
    }
    IS(QUIRE_EXISTS,
       quire_export_install(q, id, "claude-code", &o, &out, &test_err));
    unsetenv("CLAUDE_CONFIG_DIR");
    buf_release(&dropped);
    quire_close(q);
}
