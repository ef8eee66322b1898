/*
 * workspace.c - handle of a workspace: names of its directories, open, close
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/fs.h"
#include "workspace/priv.h"

/* ---- paths -------------------------------------------------------------- */

/* Letters, digits, dash, underscore, dot. An id comes from an untrusted file
 * and becomes the name of a directory. */
bool workspace_is_id(const char *key)
{
    const char *c;

    for (c = key; *c; c++) {
        bool letter = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z');

        if (!letter && !(*c >= '0' && *c <= '9') && !strchr("-_.", *c))
            return false;
    }
    return *key && *key != '.' && !strstr(key, "..") && c - key <= 128;
}

static quire_status reject_id(const char *key, quire_error *err)
{
    quire_status st =
        err_fail(err, QUIRE_INVALID,
                 HINT_SHELL
                 "an id of letters, digits, dash, underscore and dot works; "
                 "`quire session fork` copies the session under a new id",
                 "session %.60s cannot have a workspace: its id "
                 "is not valid as a directory name",
                 key);
    return st;
}

/* Prefix and suffix of the id in the path of the artifact directory, relative
 * to the root. */
static const char *path_prefix(const char *key)
{
    return workspace_is_built_in(key) ? "artifacts/" : "artifacts/sessions/";
}

static const char *path_suffix(const char *key)
{
    return workspace_is_built_in(key) ? "" : "/agent";
}

bool workspace_is_there(const char *root, const char *key)
{
    char path[4096];
    int len;

    if (!workspace_is_id(key))
        return false;
    len = snprintf(path, sizeof path, "%s/%s%s%s", root, path_prefix(key), key,
                   path_suffix(key));
    return len > 0 && (size_t)len < sizeof path && !access(path, F_OK);
}

static bool name_dirs(struct workspace *s)
{
    const char *key = s->c.key;
    bool fine = asprintf(&s->names[0], "%s%s%s", path_prefix(key), key,
                         path_suffix(key)) >= 0;
    int i;

    if (workspace_is_built_in(key))
        fine = fine && asprintf(&s->around, "artifacts") >= 0 &&
               asprintf(&s->names[1], "artifacts/scratchpad/%s", key) >= 0;
    else
        fine = fine &&
               asprintf(&s->around, "artifacts/sessions/%s", key) >= 0 &&
               asprintf(&s->names[1], "%s/scratchpad", s->around) >= 0;
    for (i = 0; fine && i < 2; i++)
        fine = asprintf(&s->paths[i], "%s/%s", s->c.root, s->names[i]) >= 0;
    return fine;
}

/* ---- open and close ----------------------------------------------------- */

static bool copy_text(const char **text)
{
    *text = strdup(*text);
    return *text;
}

quire_status workspace_open(const struct workspace_config *config,
                            struct workspace **out, quire_error *err)
{
    struct workspace *s = calloc(1, sizeof *s);
    bool has_root, has_key;
    quire_status st = QUIRE_OK;

    *out = NULL;
    if (!s)
        return err_memory(err);
    s->c = *config;
    s->root = -1;
    /* Copy both even if the first fails: then it owns both pointers. */
    has_root = copy_text(&s->c.root);
    has_key = copy_text(&s->c.key);
    if (!has_root || !has_key)
        st = err_memory(err);
    if (!st && !workspace_is_id(s->c.key))
        st = reject_id(s->c.key, err);
    if (!st && !name_dirs(s))
        st = err_memory(err);
    if (!st)
        st = baseline_init(s, err);
    if (!st)
        st = fs_open_dir(s->c.root, true, &s->root, err);
    if (st)
        workspace_close(s);
    else
        *out = s;
    return st;
}

void workspace_close(struct workspace *s)
{
    size_t i;

    if (!s)
        return;
    if (s->n_changes > 0)
        baseline_flush(s, NULL); /* on failure the files are compared again */
    read_counts_flush(s, true);
    for (i = 0; i < s->n_changes; i++)
        free(s->changes[i].path);
    free(s->changes);
    sql_release(&s->sql);
    if (s->root >= 0)
        close(s->root);
    for (i = 0; i < 2; i++) {
        free(s->names[i]);
        free(s->paths[i]);
    }
    free(s->around);
    free((char *)(uintptr_t)s->c.root);
    free((char *)(uintptr_t)s->c.key);
    free(s);
}

quire_status workspace_make(struct workspace *s, quire_error *err)
{
    static const struct workspace_sync how = {.source = "user"};
    struct workspace_report report = {0};
    struct workspace_access v;
    quire_status st = workspace_access_begin(s, WORKSPACE_SCRATCH, ACCESS_MAKE,
                                             &v, err);

    if (st)
        return st;
    workspace_access_end(&v);
    st = workspace_access_begin(s, WORKSPACE_ARTIFACT,
                                ACCESS_MAKE | ACCESS_LOCK, &v, err);
    if (!st && v.fresh)
        st = sync_all(s, &v, &how, &report, err);
    workspace_access_end(&v);
    return st;
}
