/* peer.c - see peer.h */
#include "peer.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/fs.h"
#include "base/json.h"
#include "bench.h"

extern char **environ;

char *peer_arg(const char *text)
{
    return (char *)(uintptr_t)text;
}

void peer_start(struct peer *p, char *const *argv)
{
    posix_spawn_file_actions_t files;
    int ask[2], answer[2], rc;

    *p = (struct peer){.pid = -1};
    if (pipe2(ask, O_CLOEXEC) < 0 || pipe2(answer, O_CLOEXEC) < 0)
        bench_fail("no pipe: %s", strerror(errno));
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, ask[0], 0);
    posix_spawn_file_actions_adddup2(&files, answer[1], 1);
    posix_spawn_file_actions_addopen(&files, 2, "/dev/null", O_WRONLY, 0);
    rc = posix_spawnp(&p->pid, argv[0], &files, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&files);
    if (rc)
        bench_fail("cannot start %s: %s", argv[0], strerror(rc));
    close(ask[0]);
    close(answer[1]);
    p->to = ask[1];
    p->from = fdopen(answer[0], "r");
    if (!p->from)
        bench_fail("no memory");
}

void peer_stop(struct peer *p)
{
    close(p->to);
    while (waitpid(p->pid, NULL, 0) < 0 && errno == EINTR)
        ;
    fclose(p->from);
    free(p->line);
}

bool peer_ask(struct peer *p, const struct buf *request, const char *sign)
{
    static const char notice[] = "{\"jsonrpc\":\"2.0\",\"method\":";

    if (fs_write_all(p->to, buf_bytes(request)) < 0)
        return false;
    while (getline(&p->line, &p->cap, p->from) > 0)
        if (strncmp(p->line, notice, sizeof notice - 1) != 0)
            return strstr(p->line, sign);
    return false;
}

/* ---- messages of the protocol ------------------------------------------- */

bool peer_greet(struct peer *p)
{
    struct buf line = BUF_INIT(4096);
    bool ok;

    buf_add_str(&line,
                "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\","
                "\"params\":{\"protocolVersion\":\"2025-06-18\","
                "\"capabilities\":{},\"clientInfo\":{\"name\":\"bench\","
                "\"version\":\"1\"}}}\n");
    ok = peer_ask(p, &line, "\"serverInfo\"");
    buf_clear(&line);
    buf_add_str(&line, "{\"jsonrpc\":\"2.0\",\"method\":"
                       "\"notifications/initialized\"}\n");
    ok = ok && fs_write_all(p->to, buf_bytes(&line)) == 0;
    buf_release(&line);
    return ok;
}

/* Members of the call, up to its arguments, which are left open. */
static void begin_call(struct json_writer *w, struct buf *out, int id,
                       const char *tool)
{
    buf_clear(out);
    json_begin(w, out);
    json_object(w);
    json_put_str(w, "jsonrpc", "2.0");
    json_put_int(w, "id", id);
    json_put_str(w, "method", "tools/call");
    json_key(w, "params");
    json_object(w);
    json_put_str(w, "name", tool);
    json_key(w, "arguments");
    json_object(w);
}

static void end_call(struct json_writer *w, struct buf *out,
                     const struct buf *content)
{
    if (content) {
        json_put_bytes(w, "content", buf_bytes(content));
    }
    json_object_end(w);
    json_object_end(w);
    json_object_end(w);
    buf_add_char(out, '\n');
}

void peer_spell_file(struct buf *out, int id, const char *path,
                     const struct buf *content)
{
    struct json_writer w;

    begin_call(&w, out, id, content ? "write_file" : "read_text_file");
    json_put_str(&w, "path", path);
    end_call(&w, out, content);
}

void peer_spell_workspace(struct buf *out, int id, const char *filename,
                          const struct buf *content)
{
    struct json_writer w;

    begin_call(&w, out, id, "workspace");
    json_put_str(&w, "action", content ? "write" : "read");
    json_put_str(&w, "filename", filename);
    end_call(&w, out, content);
}

/* ---- a talk about files -------------------------------------------------- */

void talk_start(struct talk *t, char *const *argv)
{
    *t = (struct talk){.request = BUF_INIT(1 << 20)};
    peer_start(&t->peer, argv);
}

bool talk_start_theirs(struct bench *b, struct talk *t, const char *dir,
                       const char *name)
{
    static const char program[] = "/filesystem/node_modules/"
                                  "@modelcontextprotocol/server-filesystem/"
                                  "dist/index.js";
    const char *interop = getenv("INTEROP_DIR");
    char *argv[] = {peer_arg("node"), NULL, peer_arg(dir), NULL};
    bool known;

    if (asprintf(&argv[1], "%s%s", interop ? interop : ".", program) < 0)
        bench_fail("no memory");
    known = access(argv[1], F_OK) == 0;
    if (!known) {
        report_note(b, name,
                    "beside nothing: INTEROP_DIR does not name the programs "
                    "that `tests/interop/fetch --bench` installs");
    } else {
        if (mkdir(dir, 0700) < 0)
            bench_fail("cannot make %s: %s", dir, strerror(errno));
        talk_start(t, argv);
        t->dir = dir;
        talk_greet(t);
    }
    free(argv[1]);
    return known;
}

static const char *who(const struct talk *t)
{
    return t->dir ? "the server" : "quire";
}

void talk_greet(struct talk *t)
{
    if (!peer_greet(&t->peer))
        bench_fail("%s does not answer", who(t));
}

void talk_stop(struct talk *t)
{
    peer_stop(&t->peer);
    buf_release(&t->request);
}

double talk_ask(struct talk *t, const char *sign, size_t size)
{
    double began = now_s();
    bool ok = peer_ask(&t->peer, &t->request, sign);

    began = now_s() - began;
    if (!ok || strstr(t->peer.line, "\"isError\":true") ||
        strlen(t->peer.line) < size)
        bench_fail("%s: the answer is %.200s", who(t),
                   t->peer.line ? t->peer.line : "none");
    return began * 1e3;
}
