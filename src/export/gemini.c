/*
 * gemini.c - sessions for Gemini CLI
 *
 *     tmp/<project>/chats/session-<time>-<first 8 of the uuid>.jsonl
 *
 * The results of calls stand in the answer. A compaction replaces the messages.
 * The program deletes sessions that were not used for 30 days, by a date in the
 * file: an installed file says that it was used now.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <nettle/sha2.h>

#include "base/bytes.h"
#include "base/fs.h"
#include "export/google.h"
#include "export/targets.h"

#include <fcntl.h>
#include <unistd.h>

enum { PROJECTS_MAX = 1024 * 1024 };

/* ---- lines --------------------------------------------------------------- */

static void begin_message(struct export *x, const char *type, quire_bytes id,
                          unsigned part, int64_t ms)
{
    char uuid[EXPORT_UUID_SIZE];

    export_uuid(x, id, part, uuid);
    json_object(&x->w);
    json_put_str(&x->w, "id", uuid);
    export_put_time(x, "timestamp", ms);
    json_put_str(&x->w, "type", type);
}

static void end_line(struct export *x)
{
    json_object_end(&x->w);
    export_line(x);
}

/* ---- messages ------------------------------------------------------------ */

static void on_user(struct export *x, const struct export_message *m)
{
    begin_message(x, "user", m->entry_id, 0, m->ms);
    json_key(&x->w, "content");
    json_array(&x->w);
    google_put_parts(x, &m->blocks, false);
    json_array_end(&x->w);
    end_line(x);
}

static void put_plain(struct export *x, const struct export_message *m)
{
    begin_message(x, "user", m->entry_id, 0, m->ms);
    json_key(&x->w, "content");
    json_array(&x->w);
    google_put_text(x, export_plain(x, m));
    json_array_end(&x->w);
    json_object_end(&x->w);
}

static void put_thoughts(struct export *x, const struct export_message *m)
{
    size_t i;

    json_key(&x->w, "thoughts");
    json_array(&x->w);
    for (i = 0; i < m->blocks.n; i++) {
        const struct export_block *b = &m->blocks.list[i];

        if (b->kind != EXPORT_THINKING || !b->text.len)
            continue;
        json_object(&x->w);
        json_put_str(&x->w, "subject", "");
        json_put_bytes(&x->w, "description", b->text);
        export_put_time(x, "timestamp", m->ms);
        json_object_end(&x->w);
    }
    json_array_end(&x->w);
}

static void put_tokens(struct export *x, const struct export_usage *u)
{
    uint64_t input = u->input + u->cache_read + u->cache_write;

    json_key(&x->w, "tokens");
    json_object(&x->w);
    json_put_uint(&x->w, "input", input);
    json_put_uint(&x->w, "output", u->output);
    json_put_uint(&x->w, "cached", u->cache_read);
    json_put_uint(&x->w, "thoughts", 0);
    json_put_uint(&x->w, "tool", 0);
    json_put_uint(&x->w, "total", input + u->output);
    json_object_end(&x->w);
}

static void put_call(struct export *x, const struct export_block *b, int64_t ms)
{
    const struct export_result *r = b->result;

    json_object(&x->w);
    json_put_bytes(&x->w, "id", b->id);
    json_put_bytes(&x->w, "name", export_plain_id(x, b->name));
    export_put_raw(x, "args", b->arguments);
    json_put_str(&x->w, "status",
                 !r            ? "scheduled"
                 : r->is_error ? "error"
                               : "success");
    export_put_time(x, "timestamp", r ? r->ms : ms);
    if (r) {
        json_key(&x->w, "result");
        json_array(&x->w);
        google_put_response(x, b, false);
        json_array_end(&x->w);
    }
    json_object_end(&x->w);
}

static void on_answer(struct export *x, const struct export_message *m)
{
    size_t i;

    begin_message(x, "gemini", m->entry_id, 0, m->ms);
    json_key(&x->w, "content");
    json_array(&x->w);
    google_put_parts(x, &m->blocks, false);
    json_array_end(&x->w);
    put_thoughts(x, m);
    put_tokens(x, &m->usage);
    if (m->model.len)
        json_put_bytes(&x->w, "model", m->model);
    if (m->has_calls) {
        json_key(&x->w, "toolCalls");
        json_array(&x->w);
        for (i = 0; i < m->blocks.n; i++)
            if (m->blocks.list[i].kind == EXPORT_CALL)
                put_call(x, &m->blocks.list[i], m->ms);
        json_array_end(&x->w);
    }
    end_line(x);
}

/* All messages are replaced by the summary, or by none. */
static void on_summary(struct export *x, const struct export_message *m)
{
    json_object(&x->w);
    json_key(&x->w, "$set");
    json_object(&x->w);
    json_key(&x->w, "messages");
    json_array(&x->w);
    if (m->role == EXPORT_SUMMARY)
        put_plain(x, m);
    json_array_end(&x->w);
    json_object_end(&x->w);
    end_line(x);
}

static quire_status message(struct export *x, const struct export_message *m,
                            quire_error *err)
{
    (void)err;
    switch (m->role) {
    case EXPORT_USER: on_user(x, m); break;
    case EXPORT_ASSISTANT: on_answer(x, m); break;
    case EXPORT_SUMMARY:
    case EXPORT_RESET: on_summary(x, m); break;
    case EXPORT_SYSTEM: export_drop(x, "system message", bytes_str("")); break;
    case EXPORT_RESULT:
        export_drop(x, "result without its call", bytes_str(""));
        break;
    case EXPORT_NOTE:
        if (!export_drop_note(x, m))
            on_user(x, m);
        break;
    case EXPORT_BRANCH:
        put_plain(x, m);
        export_line(x);
        break;
    }
    return QUIRE_OK;
}

/* ---- the session --------------------------------------------------------- */

static void project_hash(const struct export *x, char out[65])
{
    uint8_t digest[SHA256_DIGEST_SIZE];
    struct sha256_ctx h;

    sha256_init(&h);
    sha256_update(&h, strlen(x->session.cwd), (const uint8_t *)x->session.cwd);
    sha256_digest(&h, sizeof digest, digest);
    hex_encode(digest, sizeof digest, out);
}

static quire_status begin(struct export *x, quire_error *err)
{
    const char *title = export_title(x);
    char hash[65];

    (void)err;
    project_hash(x, hash);
    json_object(&x->w);
    json_put_str(&x->w, "sessionId", x->uuid);
    json_put_str(&x->w, "projectHash", hash);
    export_put_time(x, "startTime", x->session.created_ms);
    export_put_time(x, "lastUpdated",
                    x->install ? x->now_ms : x->session.updated_ms);
    json_put_str(&x->w, "kind", "main");
    if (*title)
        json_put_str(&x->w, "summary", title);
    end_line(x);
    return QUIRE_OK;
}

static const char *file_name(struct export *x)
{
    int64_t ms = x->install ? x->now_ms : x->session.created_ms;
    char time[TIMESTAMP_SIZE];

    export_time(ms, time);
    return arena_printf(&x->keep, "session-%.13s-%.2s-%.8s.jsonl", time,
                        time + 14, x->uuid);
}

/* ---- places -------------------------------------------------------------- */

/* The folder of a project, as projects.json has it; NULL: it has none. */
static const char *known_project(struct export *x, const char *root)
{
    struct buf path = BUF_INIT(8192), file = BUF_INIT(PROJECTS_MAX);
    const char *name = NULL;
    quire_bytes value;
    ssize_t n = -1;
    int fd = -1;

    buf_addf(&path, "%s/projects.json", root);
    if (buf_text(&path))
        fd = open(path.data, O_RDONLY | O_CLOEXEC);
    if (fd >= 0 && buf_room(&file, PROJECTS_MAX))
        n = fs_read_full(fd, file.data, PROJECTS_MAX);
    if (fd >= 0)
        close(fd);
    if (n > 0) {
        buf_grow(&file, (size_t)n);
        value = json_get(json_get(buf_bytes(&file), "projects"),
                         x->session.cwd);
        if (json_kind(value) == JSON_STRING && value.len > 2 &&
            !memchr(value.data, '/', value.len) &&
            !memchr(value.data, '.', value.len) &&
            !memchr(value.data, '\\', value.len))
            name = arena_text(&x->keep, bytes_sub(value, 1, value.len - 1));
    }
    buf_release(&path);
    buf_release(&file);
    return name;
}

static void place(struct export *x, struct export_place *out)
{
    const char *home = getenv("GEMINI_CLI_HOME"), *name = file_name(x);
    const char *project = NULL;
    char hash[65];

    out->dir = home && *home == '/' ? arena_printf(&x->keep, "%s/.gemini", home)
                                    : export_root(x, NULL, ".gemini");
    if (out->dir)
        project = known_project(x, out->dir);
    project_hash(x, hash);
    out->name = name ? arena_printf(&x->keep, "tmp/%s/chats/%s",
                                    project ? project : hash, name)
                     : NULL;
    out->mark = arena_printf(&x->keep, "-%.8s.jsonl", x->uuid);
}

static void resume(struct export *x, const char *id, const char *path,
                   const char **argv)
{
    (void)x;
    (void)path;
    argv[0] = "gemini";
    argv[1] = "--resume";
    argv[2] = id;
}

const struct export_target export_gemini = {
    .name = "gemini",
    .title = "Gemini CLI",
    .suffix = ".jsonl",
    .mime_type = "application/jsonl",
    .is_lines = true,
    .for_agent = true,
    .begin = begin,
    .message = message,
    .file_name = file_name,
    .place = place,
    .resume = resume,
};
