/* Files of each agent in its places: found, imported, given back. */
#include "import/run.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/err.h"
#include "base/json.h"
#include "import/find.h"
#include "sound.h"
#include "support/catalog.h"

#define UUID "11111111-2222-4333-8444-555555555555"
#define DAY  "2026-03-01T10:00:0"
#define OMP                                                  \
    "h/.omp/agent/sessions/--srv-demo--/2026-03-01T10-00-00" \
    "-000Z_4444444444444444"
#define ENTRY(id, up)                                            \
    "{'type':'message','id':'" id "','parentId':" up             \
    ",'timestamp':'2026-03-01T10:00:01.000Z','message':{'role':" \
    "'user','content':'one'}}\n"
#define QWEN(id, up)                                                 \
    "{'uuid':'" id "','parentUuid':" up ",'sessionId':'q','cwd':"    \
    "'/srv/demo','type':'user','message':{'role':'user','parts':[{'" \
    "text':'one'}]}}\n"
#define COPILOT "h/.copilot/session-state/"
#define KIMI                                      \
    "h/.kimi-code/sessions/wd_demo_0123456789ab/" \
    "session_88888888-2222-4333-8444-555555555555/"
#define KIMI_META                                                       \
    "{'type':'metadata','protocol_version':'1.4','created_at':17723592" \
    "00000}\n"
#define KIMI_USER                                                \
    "{'type':'context.append_message','message':{'role':'user'," \
    "'content':[{'type':'text','text':'one'}]},'time':1772359200123}\n"
#define HELLO "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"

/* A file in a place: its text with ' for ", and what is appended to it. */
struct sample {
    const char *path; /* below the home directory */
    const char *text, *more;
    const char *session; /* the id it gets */
    const char *agent;
    const char *cwd; /* "": unknown */
    const char *parent;
};

static const struct sample samples[] = {
    {"h/.gemini/tmp/demo/chats/session-2026-03-01T10-00-11111111.jsonl",
     "{'sessionId':'" UUID "','projectHash':'a','kind':'main'}\n"
     "{'id':'u1','timestamp':'" DAY "1Z','type':'user','content':'one'}\n",
     "{'id':'u2','timestamp':'" DAY "2Z','type':'user','content':'two'}\n",
     UUID, "gemini", "/srv/demo", ""},
    {"h/.gemini/tmp/demo/chats/session-2026-02-01T10-00-22222222.json",
     "{'sessionId':'22222222-2222','projectHash':'a','messages':[\n"
     "{'id':'u1','timestamp':'" DAY "1Z','type':'user','content':'one'}]}\n",
     "\n", "22222222-2222", "gemini", "/srv/demo", ""},
    {"h/.gemini/tmp/demo/chats/" UUID "/sub-1.jsonl",
     "{'sessionId':'sub-1','projectHash':'a','kind':'subagent'}\n"
     "{'id':'u1','timestamp':'" DAY "1Z','type':'user','content':'one'}\n",
     "{'id':'u2','timestamp':'" DAY "2Z','type':'user','content':'two'}\n",
     "sub-1", "gemini", "/srv/demo", UUID},
    {"h/.pi/agent/sessions/--srv-demo--/2026-03-01T10-00-00-000Z_"
     "33333333-2222-4333-8444-555555555555.jsonl",
     "{'type':'session','version':3,'id':'33333333-2222-4333-8444-"
     "555555555555','cwd':'/srv/demo'}\n" ENTRY("m1", "null"),
     ENTRY("m2", "'m1'"), "33333333-2222-4333-8444-555555555555", "pi",
     "/srv/demo", ""},
    {OMP ".jsonl",
     "{'type':'title','v':1,'title':'x','pad':''}\n"
     "{'type':'session','version':3,'id':'4444444444444444',"
     "'cwd':'/srv/demo'}\n" ENTRY(
         "m1",
         "null") "{'type':'message','id':'m2',"
                 "'parentId':'m1','message':{'role':'user','content':[{'type':'image',"
                 "'data':'blob:sha256:" HELLO "','mimeType':'image/png'}]}}\n",
     ENTRY("m3", "'m1'"), "4444444444444444", "omp", "/srv/demo", ""},
    {OMP "/Scout.jsonl",
     "{'type':'session','version':3,'id':'5555555555555555',"
     "'cwd':'/srv/demo'}\n" ENTRY("m1", "null"),
     ENTRY("m2", "'m1'"), "Scout-44444444", "omp", "/srv/demo",
     "4444444444444444"},
    {"h/.config/Code/User/globalStorage/saoudrizwan.claude-dev/tasks/1712/"
     "api_conversation_history.json",
     "[{'role':'user','content':[{'type':'text','text':'<task>\\nhi'}]}]", "\n",
     "1712", "cline", "", ""},
    {"h/.cline/data/sessions/1713/1713.messages.json",
     "{'messages':[{'role':'user','content':'hi'}]}", "\n", "1713", "cline", "",
     ""},
    {"h/.qwen/projects/-srv-demo/chats/66666666-2222-4333-8444-"
     "555555555555.jsonl",
     QWEN("u1", "null"), QWEN("u2", "'u1'"),
     "66666666-2222-4333-8444-555555555555", "qwen", "/srv/demo", ""},
    {COPILOT "77777777-2222-4333-8444-555555555555/events.jsonl",
     "{'type':'session.start','data':{'sessionId':'c'},'id':'e1',"
     "'parentId':null}\n",
     "{'type':'user.message','data':{'content':'x'},'id':'e2',"
     "'parentId':'e1'}\n",
     "77777777-2222-4333-8444-555555555555", "copilot", "/srv/demo", ""},
    {COPILOT "old-1.jsonl",
     "{'type':'session.start','data':{'sessionId':'c'},'id':'e1',"
     "'parentId':null}\n",
     "{'type':'user.message','data':{'content':'x'},'id':'e2',"
     "'parentId':'e1'}\n",
     "old-1", "copilot", "", ""},
    {KIMI "agents/main/wire.jsonl", KIMI_META KIMI_USER, KIMI_USER,
     "88888888-2222-4333-8444-555555555555", "kimi", "/srv/demo", ""},
    {KIMI "agents/agent-1/wire.jsonl", KIMI_META KIMI_USER, KIMI_USER,
     "agent-1-88888888", "kimi", "", "88888888-2222-4333-8444-555555555555"},
};

enum { N_SAMPLES = sizeof samples / sizeof *samples };

/* Files beside the sessions that the agents read or keep. */
static const struct sample others[] = {
    {.path = "h/.gemini/tmp/demo/.project_root", .text = "/srv/demo\n"},
    {.path = "h/.gemini/tmp/demo/logs.json", .text = "[]"},
    {.path = "h/.omp/agent/blobs/" HELLO, .text = "hello"},
    {.path = OMP "/0.bash.log", .text = "output\n"},
    {.path = OMP "/Scout.md", .text = "report\n"},
    {.path = OMP "/notes.txt", .text = "kept\n"},
    {.path = "h/.config/Code/User/globalStorage/saoudrizwan.claude-dev/tasks/"
             "1712/ui_messages.json",
     .text = "[]"},
    {.path = "h/.cline/data/sessions/1713/1713.json", .text = "{}"},
    {.path = "h/.qwen/projects/-srv-demo/meta.json", .text = "{}"},
    {.path = COPILOT "77777777-2222-4333-8444-555555555555/workspace.yaml",
     .text = "id: x\nname: 'A talk'\ncwd: /srv/demo\n"},
    {.path = KIMI "state.json",
     .text = "{'title':'A talk','workDir':'/srv/demo'}"},
    {.path = "h/chat.jsonl", .text = "{'role':'user','content':'x'}\n"},
};

/* ---- the machine -------------------------------------------------------- */

static void make_dirs(const char *path)
{
    char copy[512], *at;

    snprintf(copy, sizeof copy, "%s", path);
    for (at = copy + 1; (at = strchr(at, '/')) != NULL; at++) {
        *at = '\0';
        YES(mkdir(copy, 0700) == 0 || errno == EEXIST);
        *at = '/';
    }
}

static void append(const char *path, const char *text)
{
    FILE *f = fopen(path, "a");

    YES(f != NULL);
    fputs(quoted(text), f);
    YES(fclose(f) == 0);
}

static void set_up(void)
{
    static const char *const variables[] = {"CLAUDE_CONFIG_DIR",
                                            "CODEX_HOME",
                                            "GEMINI_CLI_HOME",
                                            "PI_CODING_AGENT_DIR",
                                            "CLINE_DATA_DIR",
                                            "KIMI_CODE_HOME"};
    size_t i;

    for (i = 0; i < sizeof variables / sizeof *variables; i++)
        unsetenv(variables[i]);
    setenv("HOME", test_path("h"), 1);
    for (i = 0; i < N_SAMPLES; i++) {
        make_dirs(test_path(samples[i].path));
        append(test_path(samples[i].path), samples[i].text);
    }
    for (i = 0; i < sizeof others / sizeof *others; i++) {
        make_dirs(test_path(others[i].path));
        append(test_path(others[i].path), others[i].text);
    }
}

/* ---- an import ---------------------------------------------------------- */

struct imported {
    unsigned states[IMPORT_DAMAGED + 1];
    struct import_summary sum;
};

static quire_status take_line(void *ctx, const struct import_line *line,
                              quire_error *err)
{
    struct imported *got = ctx;

    (void)err;
    got->states[line->state]++;
    return QUIRE_OK;
}

static struct imported import_all(quire *q, const char *from)
{
    struct arena keep = ARENA_INIT;
    struct import_places places = {.keep = &keep};
    struct imported got = {.states = {0}};
    struct import_run run = {.q = q, .line = take_line, .ctx = &got};

    if (from)
        OK(import_find_from(&places, from, NULL, &test_err));
    else
        OK(import_find_default(&places, NULL, &test_err));
    OK(import_run(&run, &places, &got.sum, &test_err));
    arena_release(&keep);
    EQ(0, got.sum.problems);
    return got;
}

static quire *open_home(void)
{
    quire_options o = QUIRE_OPTIONS_INIT;
    quire *q;

    o.home = test_path("home");
    OK(quire_open(&o, &q, &test_err));
    return q;
}

static void same_original(quire *q, const char *path)
{
    struct buf got = BUF_INIT((size_t)1 << 30);

    OK(quire_import_original(q, path, buf_write, &got, &test_err));
    SAME(test_read_file(path), buf_bytes(&got));
    buf_release(&got);
}

static quire_status no_problem(void *ctx, const quire_session_problem *p,
                               quire_error *err)
{
    (void)ctx;
    return err_set(err, QUIRE_DAMAGED, "line %llu: %s",
                   (unsigned long long)p->line, p->message);
}

static void check_parent(quire *q, const struct sample *s)
{
    const char *path, *line;
    quire_bytes file, parent;

    OK(quire_session_find(q, s->session, &path, &test_err));
    file = test_read_file(path);
    line = (const char *)memchr(file.data, '\n', file.len) + 1;
    file.len = (size_t)((const char *)memchr(line, '\n', 4096) - line);
    parent = json_get(bytes_of(line, file.len), "parentSession");
    YES(*s->parent ? parent.data && json_is(parent, s->parent) : !parent.data);
}

static void check_sample(quire *q, const struct sample *s)
{
    char *path = test_alloc(512);
    quire_import_file f;

    snprintf(path, 512, "%s", test_path(s->path));
    OK(quire_import_find(q, path, &f, &test_err));
    SAME_TEXT(s->session, f.session);
    SAME_TEXT(s->agent, f.agent);
    SAME_TEXT(s->cwd, f.cwd);
    if (!strcmp(s->agent, "kimi") && *s->cwd)
        SAME_TEXT("A talk", f.title);
    if (!strcmp(s->agent, "copilot") && *s->cwd)
        SAME_TEXT("A talk", f.title);
    YES(f.entries > 0);
    check_parent(q, s);
    same_original(q, path);
    OK(quire_session_check(q, s->session, no_problem, NULL, &test_err));
}

TEST(sessions_of_every_agent_are_found_in_its_place_and_imported_once)
{
    struct imported got;
    quire *q;
    size_t i;

    set_up();
    q = open_home();
    got = import_all(q, NULL);
    EQ(N_SAMPLES, got.states[IMPORT_NEW]);
    for (i = 0; i < N_SAMPLES; i++)
        check_sample(q, &samples[i]);
    got = import_all(q, NULL);
    EQ(N_SAMPLES, got.states[IMPORT_UNCHANGED]);
    EQ(0, got.sum.bytes);
    for (i = 0; i < N_SAMPLES; i++)
        append(test_path(samples[i].path), samples[i].more);
    got = import_all(q, NULL);
    EQ(N_SAMPLES, got.states[IMPORT_GROWN] + got.states[IMPORT_REWRITTEN]);
    for (i = 0; i < N_SAMPLES; i++)
        check_sample(q, &samples[i]);
    quire_close(q);
    catalogue_sound();
}

TEST(a_directory_that_has_no_other_files_of_an_agent_is_read_file_by_file)
{
    struct imported got;
    char *dir = test_alloc(512);
    size_t i;
    quire *q;

    set_up();
    q = open_home();
    for (i = 0; i < N_SAMPLES; i++) {
        snprintf(dir, 512, "%s", test_path(samples[i].path));
        got = import_all(q, dir);
        EQ(1, got.sum.found);
    }
    quire_close(q);
}

static quire_status take_text(void *ctx, const quire_line *line,
                              quire_error *err)
{
    return buf_write(ctx, line->text, err);
}

static const char *read_output(quire *q, const char *session,
                               const char *address)
{
    struct buf text = BUF_INIT(1000);
    quire_outputs *o;
    char *copy;

    OK(quire_outputs_open(q, session, &o, &test_err));
    OK(quire_read(q, o, address, NULL, take_text, &text, &test_err));
    quire_outputs_close(o);
    copy = test_alloc(text.len + 1);
    memcpy(copy, text.data, text.len);
    copy[text.len] = '\0';
    buf_release(&text);
    return copy;
}

TEST(blobs_and_outputs_of_a_foreign_home_come_with_the_session)
{
    quire_bytes content;
    quire_digest digest;
    struct imported got;
    quire *q;

    set_up();
    q = open_home();
    import_all(q, NULL);
    YES(hex_decode(HELLO, 32, digest.byte));
    OK(quire_blob_get(q, &digest, &content, &test_err));
    SAME(bytes_str("hello"), content);
    SAME_TEXT("output\n", read_output(q, "4444444444444444", "artifact://0"));
    SAME_TEXT("report\n", read_output(q, "4444444444444444", "agent://Scout"));
    got = import_all(q, NULL);
    EQ(0, got.sum.bytes);
    quire_close(q);
    catalogue_sound();
}

TEST(content_that_the_agents_store_has_not_is_reported)
{
    struct arena keep = ARENA_INIT;
    struct import_places places = {.keep = &keep};
    struct imported got = {.states = {0}};
    struct import_run run = {.line = take_line, .ctx = &got};
    quire *q;

    set_up();
    append(test_path("h/.omp/agent/blobs/" HELLO), " changed");
    q = open_home();
    run.q = q;
    OK(import_find_from(&places, test_path("h/.omp/agent"), NULL, &test_err));
    OK(import_run(&run, &places, &got.sum, &test_err));
    EQ(1, got.sum.problems);
    EQ(2, got.states[IMPORT_NEW]);
    arena_release(&keep);
    quire_close(q);
}

TEST(files_of_messages_are_imported_when_they_are_named)
{
    static const struct {
        const char *name, *text;
        uint64_t entries;
    } files[] = {
        {"chats/a.jsonl", "{'role':'user','content':'x'}\n", 1},
        {"chats/b.json",
         "[\n{'role':'user','content':'x'},{'role':'ai',"
         "'content':'y'}\n]\n",
         2},
        {"chats/c.json",
         "{\n  'model': 'm',\n  'messages': [\n"
         "    {'role':'user','content':'x'}]}\n",
         1},
        {"chats/d.json", "{'messages':[{'role':'user','content':'x'}]}", 1},
        {"chats/e.jsonl", "{'messages':[{'role':'user','content':'x'}]}\n", 1},
        {"chats/f.ndjson", "{'from':'human','value':'x'}\n", 1},
    };
    struct imported got;
    quire_import_file f;
    char *path = test_alloc(512);
    quire *q = open_home();
    size_t i;

    for (i = 0; i < sizeof files / sizeof *files; i++) {
        make_dirs(test_path(files[i].name));
        append(test_path(files[i].name), files[i].text);
    }
    append(test_path("chats/package.json"), "{'name':'x'}");
    append(test_path("chats/tokens.json"), "{'messages':{'a':'b'}}");
    got = import_all(q, test_path("chats"));
    EQ(6, got.sum.found);
    for (i = 0; i < sizeof files / sizeof *files; i++) {
        snprintf(path, 512, "%s", test_path(files[i].name));
        OK(quire_import_find(q, path, &f, &test_err));
        SAME_TEXT("chat", f.agent);
        EQ(files[i].entries, f.entries);
        same_original(q, path);
    }
    quire_close(q);
    catalogue_sound();
}
