/*
 * pi.c - sessions for pi
 *
 *     sessions/--<directory with dashes>--/<time>_<uuid>.jsonl
 */
#include <string.h>

#include "base/bytes.h"
#include "export/targets.h"
#include "export/v3.h"

static quire_status begin(struct export *x, quire_error *err)
{
    (void)err;
    json_object(&x->w);
    json_put_str(&x->w, "type", "session");
    json_put_uint(&x->w, "version", 3);
    json_put_str(&x->w, "id", x->uuid);
    export_put_time(x, "timestamp", x->session.created_ms);
    json_put_str(&x->w, "cwd", *x->session.cwd ? x->session.cwd : "/");
    v3_end(x);
    return QUIRE_OK;
}

/* It knows no boundary: a compaction without a summary is one. */
static quire_status message(struct export *x, const struct export_message *m,
                            quire_error *err)
{
    struct export_message reset = *m;

    (void)err;
    if (m->role == EXPORT_RESET)
        reset.role = EXPORT_SUMMARY;
    v3_message(x, &reset, false);
    return QUIRE_OK;
}

static quire_status end(struct export *x, quire_error *err)
{
    const char *title = export_title(x);

    (void)err;
    if (!*title)
        return QUIRE_OK;
    v3_begin(x, "session_info", bytes_str("title"), 8, x->session.updated_ms);
    json_put_str(&x->w, "name", title);
    v3_end(x);
    return QUIRE_OK;
}

/* "--srv-demo--" */
static const char *project(struct export *x)
{
    const char *cwd = x->session.cwd;
    char *name = arena_printf(&x->keep, "--%s--", *cwd == '/' ? cwd + 1 : cwd);
    char *c;

    for (c = name; c && *c; c++)
        if (*c == '/' || *c == '\\' || *c == ':')
            *c = '-';
    return name;
}

static void place(struct export *x, struct export_place *out)
{
    const char *dir = project(x), *name = v3_file_name(x);

    out->dir = export_root(x, "PI_CODING_AGENT_DIR", ".pi/agent");
    out->name = dir && name
                    ? arena_printf(&x->keep, "sessions/%s/%s", dir, name)
                    : NULL;
}

static void resume(struct export *x, const char *id, const char *path,
                   const char **argv)
{
    (void)x;
    (void)id;
    argv[0] = "pi";
    argv[1] = "--session";
    argv[2] = path;
}

const struct export_target export_pi = {
    .name = "pi",
    .title = "pi",
    .suffix = ".jsonl",
    .mime_type = "application/jsonl",
    .is_lines = true,
    .for_agent = true,
    .state_size = sizeof(struct v3),
    .begin = begin,
    .message = message,
    .end = end,
    .file_name = v3_file_name,
    .place = place,
    .resume = resume,
};
