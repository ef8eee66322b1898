/*
 * omp.c - sessions for oh-my-pi
 *
 *     sessions/<project>/<time>_<uuid>.jsonl
 *
 * The project's name is made of the directory (docs/format.md).
 */
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "export/targets.h"
#include "export/v3.h"

static quire_status begin(struct export *x, quire_error *err)
{
    const char *title = export_title(x);

    (void)err;
    json_object(&x->w);
    json_put_str(&x->w, "type", "session");
    json_put_uint(&x->w, "version", 3);
    json_put_str(&x->w, "id", x->uuid);
    export_put_time(x, "timestamp", x->session.created_ms);
    json_put_str(&x->w, "cwd", *x->session.cwd ? x->session.cwd : "/");
    if (*title)
        json_put_str(&x->w, "title", title);
    v3_end(x);
    return QUIRE_OK;
}

static quire_status message(struct export *x, const struct export_message *m,
                            quire_error *err)
{
    (void)err;
    if (m->role != EXPORT_RESET) {
        v3_message(x, m, true);
        return QUIRE_OK;
    }
    v3_begin(x, "reset_boundary", m->entry_id, 0, m->ms);
    v3_end(x);
    return QUIRE_OK;
}

/* What `path` has below `dir`, from the slash on; NULL: it is not there. */
static const char *below(const char *path, const char *dir)
{
    size_t n = dir ? strlen(dir) : 0;

    while (n > 1 && dir[n - 1] == '/')
        n--;
    return n > 1 && !strncmp(path, dir, n) && (path[n] == '/' || !path[n])
               ? path + n
               : NULL;
}

static const char *project(struct export *x)
{
    const char *cwd = x->session.cwd, *temp = getenv("TMPDIR"), *rest;
    char *name, *c;

    if ((rest = below(cwd, getenv("HOME"))) != NULL)
        name = arena_printf(&x->keep, "-%s", *rest ? rest + 1 : "");
    else if ((rest = below(cwd, temp && *temp ? temp : "/tmp")) != NULL)
        name = arena_printf(&x->keep, "-tmp%s", rest);
    else
        name = arena_printf(&x->keep, "--%s--", *cwd == '/' ? cwd + 1 : cwd);
    for (c = name; c && *c; c++)
        if (*c == '/' || *c == '\\' || *c == ':')
            *c = '-';
    return name;
}

static void place(struct export *x, struct export_place *out)
{
    const char *dir = project(x), *name = v3_file_name(x);

    out->dir = export_root(x, "PI_CODING_AGENT_DIR", ".omp/agent");
    out->name = dir && name
                    ? arena_printf(&x->keep, "sessions/%s/%s", dir, name)
                    : NULL;
}

static void resume(struct export *x, const char *id, const char *path,
                   const char **argv)
{
    (void)x;
    (void)id;
    argv[0] = "omp";
    argv[1] = "--resume";
    argv[2] = path;
}

const struct export_target export_omp = {
    .name = "omp",
    .title = "oh-my-pi",
    .suffix = ".jsonl",
    .mime_type = "application/jsonl",
    .is_lines = true,
    .for_agent = true,
    .state_size = sizeof(struct v3),
    .begin = begin,
    .message = message,
    .file_name = v3_file_name,
    .place = place,
    .resume = resume,
};
